// Opens reports in a real browser, on a desktop in the light and on a phone in the dark: node check-reports.mjs FILE.html...
// Fails on an error, a page wider than the screen, or a plot without its table. CHROMIUM names the browser.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import puppeteer from 'puppeteer-core'

const browserPath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
if (!browserPath) {
  console.log('reports: no browser found, so they were not opened; set CHROMIUM')
  process.exit(0)
}
const files = process.argv.slice(2)
const problems = []
const browser = await puppeteer.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
for (const file of files) {
  for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
    const page = await browser.newPage()
    page.setDefaultTimeout(120000) // a busy machine is not the page's fault
    const problem = (text) => problems.push(`${file} (${width} px): ${text}`)
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    page.on('console', (message) => message.type() === 'error' && problem(message.text()))
    page.on('pageerror', (error) => problem(error.message))
    page.on('request', (request) => /^(file|data):/.test(request.url()) || problem(`asks for ${request.url()}`))
    await page.goto(pathToFileURL(resolve(file)).href, { waitUntil: 'load' })
    const seen = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      verdict: document.getElementById('verdict').textContent,
      plots: [...document.querySelectorAll('.plot')].map((plot) => ({
        id: plot.id,
        drawn: plot.querySelector('svg path') !== null,
        named: plot.getAttribute('aria-label') !== null,
        rows: plot.nextElementSibling?.querySelectorAll('table tr').length ?? 0,
      })),
    }))
    if (seen.wide > 0) problem(`${seen.wide} px wider than the screen`)
    if (!seen.verdict.startsWith('verdict: ')) problem('has no verdict')
    for (const { id, drawn, named, rows } of seen.plots) {
      if (!drawn || !named || rows < 2) problem(`plot ${id}: drawn ${drawn}, named ${named}, ${rows} rows in its table`)
    }
    await page.close()
  }
}
await browser.close()
for (const problem of problems) console.log(`reports: ${problem}`)
console.log(`reports: ${files.length} opened, ${problems.length} problems`)
process.exit(problems.length === 0 && files.length > 0 ? 0 : 1)
