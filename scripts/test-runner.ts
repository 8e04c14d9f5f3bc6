import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunnerTestFile, TestRunner } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const lacking = new Map<string, string[]>(JSON.parse(process.env.TESTS_LACKING ?? '[]'))

/** Passes over the files that use programs which this machine does not have, and says which. */
export default class Runner extends TestRunner {
  override onCollected(files: RunnerTestFile[]): void {
    for (const file of files) {
      const packages = lacking.get(relative(ROOT, file.filepath))
      if (packages) skip(file, `needs ${packages.join(', ')}`)
    }
  }
}

function skip(task: RunnerTestFile['tasks'][number] | RunnerTestFile, note: string): void {
  task.mode = 'skip'
  if (task.type === 'test') task.result = { state: 'skip', note }
  else for (const one of task.tasks) skip(one, note)
}
