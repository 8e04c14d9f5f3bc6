/**
 * Runs inside of vitest, for `npm run mutants`: takes the place of its runner of tests. vitest is
 * given as many empty test files as there is work; in the place of each, the next question is
 * answered: whether a file of tests notices that mutants are switched on. Modules stay loaded from
 * one question to the next, except where a question is to be answered afresh.
 *
 * @typedef {object} Question
 * @property {string} file of tests
 * @property {number[]} mutants switched on, together
 * @property {boolean} afresh whether all modules are loaded again
 * @property {string[]} [tests] of the file, by their ids, if the others are passed over
 * @property {boolean} [backwards] whether the last test runs first
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
/** Code that is reached now: by the test that runs, or between tests. */
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
    this.tests = []
    reached = new Set()
    active = new Set(mutants)
    await super.importFile(join(MUTANTS_ROOT, file), source)
  }

  onCollected(files) {
    if (this.question?.backwards) for (const file of files) reverse(file)
    this.whileLoading = reached
    this.betweenTests = reached = new Set()
  }

  onBeforeRunSuite(suite) {
    if (this.failed.length) suite.mode = 'skip'
    return super.onBeforeRunSuite(suite)
  }

  onBeforeRunTask(test) {
    const { tests } = this.question
    if (this.failed.length || (tests && !tests.includes(placeOf(test)))) test.mode = 'skip'
    else reached = new Set()
    return super.onBeforeRunTask(test)
  }

  onAfterRunTask(test) {
    this.tests.push({ test: placeOf(test), runs: [...reached] })
    reached = this.betweenTests
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
    // One alone of several was noticed.
    if (this.failed.length && mutants.length === 1) noticed.add(mutants[0])
    tell({
      at: this.question.at,
      failed: this.failed[0],
      ms: Date.now() - this.began,
      ...(this.question.mutants.length
        ? {}
        : { loads: [...this.whileLoading], around: [...reached], tests: this.tests }),
    })
    this.question = undefined
    return super.onAfterRunFiles(files)
  }
}

/** `2_0`: the first test of the third entry of its file. The part before it is about the file. */
function placeOf({ id, file }) {
  return id.slice(file.id.length + 1)
}

function reverse(suite) {
  suite.tasks.reverse()
  for (const task of suite.tasks) if (task.type === 'suite') reverse(task)
}
