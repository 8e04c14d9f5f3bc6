/**
 * Runs inside of vitest, for `npm run mutants`: takes the place of its runner of tests. vitest is
 * given as many empty test files as there is work; in the place of each, the next question is
 * answered: whether a file of tests notices that mutants are switched on. Modules stay loaded from
 * one question to the next, except where a mutant stands in code that runs when it is loaded.
 *
 * @typedef {object} Question
 * @property {string} file of tests
 * @property {number[]} mutants switched on, together
 * @property {boolean} afresh whether all modules are loaded anew
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestRunner, vi } from 'vitest'

/** Servers that a failed `beforeAll` left open cost connections: then a new process goes on. */
const LEFT_OPEN = 15

const { MUTANTS_ROOT, MUTANTS_QUESTIONS, MUTANTS_ANSWERS } = process.env
/** @type {Question[]} */
const questions = JSON.parse(readFileSync(MUTANTS_QUESTIONS, 'utf8')).map((question, at) => ({ at, ...question }))
const tell = (line) => appendFileSync(MUTANTS_ANSWERS, `${JSON.stringify(line)}\n`)

const noticed = new Set()
/** Passes over what is about mutants that were noticed already. */
function nextQuestion() {
  const question = questions.shift()
  return question?.mutants.length && question.mutants.every((one) => noticed.has(one)) ? nextQuestion() : question
}

let active = new Set()
let reached = new Set()
globalThis.isMutant = (mutant) => {
  reached.add(mutant)
  return active.has(mutant)
}

export default class MutantRunner extends TestRunner {
  /** @type {Question | undefined} */
  question
  failed = []
  loadedAfresh = false
  leftOpen = 0

  async importFile(path, source) {
    if (source === 'setup') return super.importFile(path, source)
    this.question = this.leftOpen < LEFT_OPEN ? nextQuestion() : undefined
    if (!this.question) return
    const { at, file, mutants, afresh } = this.question
    tell({ at })
    if (afresh || this.loadedAfresh) vi.resetModules()
    this.loadedAfresh = afresh
    this.failed = []
    this.began = Date.now()
    reached = new Set()
    active = new Set(mutants)
    await super.importFile(join(MUTANTS_ROOT, file), source)
  }

  onCollected() {
    this.whileLoading = reached
    reached = new Set()
  }

  onBeforeRunSuite(suite) {
    if (this.failed.length) suite.mode = 'skip'
    return super.onBeforeRunSuite(suite)
  }

  onBeforeRunTask(test) {
    if (this.failed.length) test.mode = 'skip'
    return super.onBeforeRunTask(test)
  }

  onAfterRunTask(test) {
    if (test.result?.state === 'fail') this.failed.push({ by: test.name, why: test.result.errors?.[0]?.message ?? '' })
    return super.onAfterRunTask(test)
  }

  onAfterRunSuite(suite) {
    const broken = suite.result?.errors?.[0]
    if (this.question && broken) {
      if (!this.failed.length) this.leftOpen++
      this.failed.push({ by: suite.name || 'the file', why: broken.message ?? '' })
    }
    return super.onAfterRunSuite(suite)
  }

  onAfterRunFiles(files) {
    if (!this.question) return super.onAfterRunFiles(files)
    const [{ result }] = files
    if (!this.failed.length && result?.state === 'fail')
      this.failed.push({ by: 'the file', why: result.errors?.[0]?.message ?? '' })
    const { mutants } = this.question
    // Of several, one alone was noticed.
    if (this.failed.length && mutants.length === 1) noticed.add(mutants[0])
    tell({
      at: this.question.at,
      failed: this.failed[0],
      ms: Date.now() - this.began,
      ...(this.question.mutants.length ? {} : { loads: [...this.whileLoading], runs: [...reached] }),
    })
    this.question = undefined
    return super.onAfterRunFiles(files)
  }
}
