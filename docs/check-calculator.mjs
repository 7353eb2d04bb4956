// The calculator of the site must answer as the command does: word by word, also when it refuses.
import { execFileSync } from 'node:child_process'
import { plan } from './calculator/target/site/calculator.js'

const HOUR = 3600_000
const GIB = 2 ** 30

// What is typed into the page, and the same for the command.
const cases = [
  [{ idsPerSecond: '50000', windowMillis: 6 * HOUR, fpp: '1e-6', parallelism: '4' }, ['--ids-per-second=50000', '--within=6h', '--fpp=1e-6', '--parallelism=4']],
  [{ idsPerSecond: 1, windowMillis: 1, fpp: 0.25, parallelism: 1, maxParallelism: 1 }, ['--ids-per-second=1', '--within=1ms', '--fpp=0.25', '--max-parallelism=1']],
  [{ idsPerSecond: 1e9, windowMillis: 3653 * 24 * HOUR, fpp: 1e-12, parallelism: 32768 }, ['--ids-per-second=1000000000', '--within=3653d', '--fpp=1e-12', '--parallelism=32768']],
  [{ memoryBytes: GIB / 4, idsPerSecond: 50000, parallelism: 4 }, ['--memory=256mb', '--ids-per-second=50000', '--parallelism=4']],
  [{ memoryBytes: GIB / 4, windowMillis: 6 * HOUR, fpp: 1e-4 }, ['--memory=256mb', '--within=6h', '--fpp=1e-4']],
  [{ memoryBytes: GIB / 4, windowMillis: 6 * HOUR, idsPerSecond: 50000, parallelism: 4 }, ['--memory=256mb', '--within=6h', '--ids-per-second=50000', '--parallelism=4']],
  [{ memoryBytes: GIB / 4, windowMillis: HOUR, idsPerSecond: 50000, find: 'FPP' }, ['--memory=256mb', '--within=1h', '--ids-per-second=50000', '--find=fpp']],
  [{ memoryBytes: GIB / 4, windowMillis: 6 * HOUR, idsPerSecond: 50000, maxParallelism: 128, find: 'PARALLELISM' }, ['--memory=256mb', '--within=6h', '--ids-per-second=50000', '--max-parallelism=128', '--find=parallelism']],
  [{ keys: 1e9, parallelism: 8 }, ['--keys=1000000000', '--parallelism=8']],
  [{ engine: 'CASCADE', idsPerSecond: 20000, windowMillis: 7 * 24 * HOUR, parallelism: 8 }, ['--engine=cascade', '--ids-per-second=20000', '--within=7d', '--parallelism=8']],
  [{ engine: 'CASCADE', memoryBytes: 4 * GIB, parallelism: 8 }, ['--engine=cascade', '--memory=4gb', '--parallelism=8']],
  [{ engine: 'CASCADE', keys: 1e9, memoryBytes: GIB }, ['--engine=cascade', '--keys=1000000000', '--memory=1gb']],
  [{ idsPerSecond: 50000, windowMillis: HOUR, contents: 'true' }, ['--ids-per-second=50000', '--within=1h', '--contents']],
  [{ engine: 'CASCADE', keys: 1e6, contents: 'true' }, ['--engine=cascade', '--keys=1000000', '--contents']],
  [{ windowMillis: HOUR }, ['--within=1h']],
  [{ idsPerSecond: 5, windowMillis: HOUR, fpp: 2 }, ['--ids-per-second=5', '--within=1h', '--fpp=2']],
  [{ idsPerSecond: 5, windowMillis: HOUR, parallelism: 40000 }, ['--ids-per-second=5', '--within=1h', '--parallelism=40000']],
  [{ engine: 'CASCADE' }, ['--engine=cascade']],
]

function command(options) {
  try {
    return { out: execFileSync('../sluice', ['plan', ...options], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }), code: 0 }
  } catch (failed) {
    return { out: failed.stdout + failed.stderr, code: failed.status }
  }
}

let wrong = 0
for (const [question, options] of cases) {
  const said = command(options)
  const answer = plan(question)
  const text = answer.error ?? answer.lines.map(([name, value]) => `${name.padEnd(15)} ${value}\n`).join('')
  const code = answer.error ? 2 : answer.fits ? 0 : 1
  if (code !== said.code || (answer.error ? !said.out.includes(text) : said.out !== text)) {
    wrong++
    console.log(`calculator: ${JSON.stringify(question)}\nsays (${code})\n${text}\nbut sluice plan ${options.join(' ')} says (${said.code})\n${said.out}`)
  }
}
console.log(`calculator: ${cases.length} plans, ${wrong} unlike those of the command`)
process.exit(wrong === 0 ? 0 : 1)
