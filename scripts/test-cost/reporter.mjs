/**
 * Prints what the suite costs: a table by project and the dearest files. Vitest tells how long a
 * file took; `in-file.mjs` has written what it took of the processor, and of which pieces of work.
 */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { costsOf, tableOf } from './costs.mjs'
import { sharedProcesses } from './processor-time.mjs'

const DEAREST = Number(process.env.TEST_COST_FILES ?? 40)

export default class CostReporter {
  #begun = new Map()
  #ended = new Map()

  onTestModuleStart(module) {
    this.#begun.set(module, performance.now())
  }

  onTestModuleEnd(module) {
    this.#ended.set(module, performance.now())
  }

  onTestRunEnd(modules) {
    const written = readLines(process.env.TEST_COST_FILE)
    const files = modules.map((module) => {
      const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
        module.diagnostic()
      return {
        project: module.project.name,
        file: relative(process.cwd(), module.moduleId),
        tests: [...module.children.allTests()].length,
        begun: this.#begun.get(module) ?? 0,
        ended: this.#ended.get(module) ?? 0,
        // Files that share a worker share its environment, of which each tells the whole time.
        loading:
          ((module.project.config.isolate ? environmentSetupDuration : 0) +
            prepareDuration +
            collectDuration +
            setupDuration) /
          1000,
        running: duration / 1000,
        ...(written.get(module.moduleId) ?? { own: 0, children: 0, work: {} }),
      }
    })
    const { projects, dearest } = costsOf(files, DEAREST)
    console.log(`\n— cost by project\n${tableOf(projects)}`)
    console.log(`\n— the dearest files\n${tableOf(dearest)}`)
    console.log(`\n— shared by all files\n${tableOf(sharedProcesses())}`)
  }
}

function readLines(path) {
  if (!existsSync(path)) return new Map()
  const lines = readFileSync(path, 'utf8').trim().split('\n').filter(Boolean)
  return new Map(lines.map((line) => JSON.parse(line)).map(({ file, ...cost }) => [file, cost]))
}
