// Visits every page of the built site in a real browser: phone and desktop, light and dark. Fails on a console
// error, a link without a target, a page wider than the screen, a picture that does not load, a search that
// finds nothing, or a calculator that does not answer. CHROMIUM names the browser; without one it says so and ends with 0.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import puppeteer from 'puppeteer-core'

const checkout = new URL('..', import.meta.url)
const [, name] = /<sluice\.repository>(.+)<\//.exec(await readFile(new URL('pom.xml', checkout), 'utf8'))
const repository = `https://github.com/${name}/blob/main/`
const dist = new URL('.vitepress/dist/', import.meta.url).pathname
const browserPath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
if (!browserPath) {
  console.log('site: no browser found, so the pages were built but not visited; set CHROMIUM')
  process.exit(0)
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json', '.woff2': 'font/woff2' }
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
  try {
    const file = join(dist, path.endsWith('/') ? `${path}index.html` : path)
    response.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream')
    response.end(await readFile(file))
  } catch {
    response.statusCode = 404
    response.end('not found')
  }
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const base = `http://127.0.0.1:${server.address().port}`

const API = '/api/'
const all = (await readdir(dist, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.name.endsWith('.html') && entry.name !== '404.html')
  .map((entry) => `/${relative(dist, join(entry.parentPath ?? entry.path, entry.name))}`)
// Javadoc is checked by the tool that writes it.
const pages = all.filter((page) => !page.startsWith(API))
const problems = []
const browser = await puppeteer.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
const targets = new Map(all.filter((page) => page.startsWith(API)).map((page) => [page, new Set()]))
const links = []

for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
  const page = await browser.newPage()
  page.setDefaultTimeout(120000) // a busy machine is not the page's fault
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  let at
  page.on('console', (message) => message.type() === 'error' && problems.push(`${at} (${width} px): console: ${message.text()}`))
  page.on('pageerror', (error) => problems.push(`${at} (${width} px): ${error.message}`))
  page.on('requestfailed', (request) => problems.push(`${at} (${width} px): ${request.url()} did not load`))
  for (at of pages) {
    await page.goto(base + at, { waitUntil: 'networkidle0' })
    const seen = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
      links: [...document.querySelectorAll('a[href]')].map((link) => link.href),
      broken: [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src),
      cut: [...document.querySelectorAll('.vp-doc pre:not([class]), .vp-doc div[class*=language-sh] pre')]
        .filter((code) => code.scrollWidth > code.clientWidth)
        .map((code) => code.innerText.slice(0, 60)),
      title: document.title,
      dark: document.documentElement.classList.contains('dark'),
    }))
    if (seen.wide > 0) problems.push(`${at}: ${seen.wide} px wider than a screen of ${width} px`)
    if (width === 1280) for (const code of seen.cut) problems.push(`${at}: code is cut off: ${code}`)
    if (seen.dark !== (scheme === 'dark')) problems.push(`${at}: does not follow the ${scheme} mode`)
    for (const image of seen.broken) problems.push(`${at}: ${image} is no picture`)
    targets.set(at, new Set(seen.ids))
    for (const link of seen.links) links.push([at, link])
  }
  await page.close()
}

for (const [from, link] of links) {
  const url = new URL(link)
  if (link.startsWith(repository) && !existsSync(new URL(link.slice(repository.length), checkout))) problems.push(`${from}: there is no file for ${link}`)
  if (url.origin !== base) continue
  if (link.endsWith('#')) problems.push(`${from}: a link that leads nowhere`)
  const path = url.pathname.endsWith('/') ? `${url.pathname}index.html` : url.pathname
  if (!targets.has(path)) problems.push(`${from}: no page ${path}`)
  else if (url.hash.length > 1 && !targets.get(path).has(decodeURIComponent(url.hash.slice(1)))) problems.push(`${from}: no place ${path}${url.hash}`)
}

const page = await browser.newPage()
page.setDefaultTimeout(120000) // a busy machine is not the page's fault
await page.setViewport({ width: 1280, height: 900 })
await page.goto(base, { waitUntil: 'networkidle0' })
await page.click('.VPNavBarSearch button')
await page.waitForSelector('.VPLocalSearchBox input')
await page.type('.VPLocalSearchBox input', 'watermark')
await page.waitForSelector('.VPLocalSearchBox .result', { timeout: 10000 }).catch(() => problems.push('the search finds nothing for "watermark"'))

await page.goto(`${base}/sizing.html`, { waitUntil: 'networkidle0' })
const said = () => page.$eval('.calculator output', (output) => output.innerText).catch(() => '')
const expect = async (word, after) => (await said()).includes(word) || problems.push(`the calculator does not say "${word}" ${after}: ${await said()}`)
await expect('4 of 128 key groups', 'at first')
const append = async (name, text) => {
  await page.focus(`.calculator input[name=${name}]`)
  await page.keyboard.press('End')
  await page.keyboard.type(text)
}
await append('window', '.5')
await append('parallelism', '.5')
await expect('is not a whole number', 'of four and a half subtasks')
const command = await page.$eval('.calculator .command', (line) => line.innerText)
if (!command.includes('--within "23400000 ms"')) problems.push(`the calculator shows a command that sluice plan does not understand: ${command}`)
await page.keyboard.press('Backspace')
await page.keyboard.press('Backspace')
await page.type('.calculator input[name=memory]', '256')
await expect('DOES NOT FIT', 'with too little memory')
await page.click('.calculator input[value=CASCADE]')
await expect('overviews', 'of the state backend')
await page.type('.calculator input[name=fpp]', 'x')
await expect('is not a number', 'of letters')
await browser.close()
server.close()

for (const problem of new Set(problems)) console.log(`site: ${problem}`)
console.log(`site: ${pages.length} pages, ${links.length} links, ${new Set(problems).size} problems`)
process.exit(problems.length === 0 ? 0 : 1)
