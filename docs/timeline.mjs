// Collects each figure over time into .vitepress/timeline.json: all versions of results/*.json in the history of the
// repository, and the files of nightly runs in the folder that NIGHTLY names.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
const hasHistory = spawnSync('git', ['rev-parse', '--git-dir']).status === 0
const timeline = {}
const seen = new Set()

function add(file, text) {
  const { date, commit, quick, machine, figures } = JSON.parse(text)
  if (!figures || seen.has(file + date)) return
  seen.add(file + date)
  for (const { name, value, unit } of figures) {
    const points = ((timeline[file] ??= {})[name] ??= { unit, points: [] }).points
    points.push({ date, commit: commit.slice(0, 7), value, quick, machine: `${machine.cpu}, ${machine.cores} cores` })
  }
}

const files = readdirSync('results').filter((file) => file.endsWith('.json'))
for (const file of files) {
  add(basename(file, '.json'), readFileSync(join('results', file), 'utf8'))
  const versions = hasHistory ? git('log', '--format=%H', '--', `results/${file}`).split('\n').filter((line) => line) : []
  for (const version of versions) {
    // A version in which the file was removed has no text.
    const exists = git('ls-tree', version, `results/${file}`) !== ''
    if (exists) add(basename(file, '.json'), git('show', `${version}:./results/${file}`))
  }
}
const nightly = process.env.NIGHTLY
if (nightly) {
  for (const file of readdirSync(nightly).filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(join(nightly, file), 'utf8')
    add(`${JSON.parse(text).benchmark}, each night`, text)
  }
}
for (const figures of Object.values(timeline)) {
  for (const [name, { points }] of Object.entries(figures)) {
    points.sort((a, b) => a.date.localeCompare(b.date))
    if (points.length < 2) delete figures[name]
  }
}
const kept = Object.fromEntries(Object.entries(timeline).filter(([, figures]) => Object.keys(figures).length > 0))
writeFileSync('.vitepress/timeline.json', JSON.stringify(kept))
console.log(`timeline${hasHistory ? '' : ', without the history, since this is no git repository'}: ${Object.keys(kept).length} benchmarks, ${Object.values(kept).flatMap((figures) => Object.keys(figures)).length} figures that were measured more than once`)
