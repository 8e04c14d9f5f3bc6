/**
 * The copy of the repository in which changes are tried, with a PostgreSQL of its own. Nothing of
 * it is left behind, however the run ends, short of SIGKILL.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import startPostgres from '../../apps/server/test/database.ts'
import { ROOT } from '../prepare.mjs'

/** What git doesn't hold: packages, and the built console, whose pages the server sends. */
const LINKED = ['node_modules', 'apps/console/node_modules', 'apps/server/node_modules', 'apps/console/dist']
/** After so many answers a new process goes on: what failed may have left something open. */
const BATCH = 250
const LOOK_MS = 100
/** A file of tests may take so much longer than without a mutant before it counts as hanging. */
const PATIENCE_MS = 30_000
const PATIENCE_FACTOR = 5
/** For vitest to start and to load the server. */
const START_MS = 120_000

/**
 * @typedef {import('./test-runner.mjs').Question & { usualMs?: number }} Question
 * @typedef {{ failed?: { by: string, why: string }, ms: number, loads?: number[], runs?: number[] }} Answer
 */

/**
 * @param {string[]} files of the repository
 * @param {Map<string, string>} changed texts of those that are there in another form
 * @param {() => boolean} isOver
 */
export async function openWorkshop(files, changed, isOver) {
  const copy = mkdtempSync(join(tmpdir(), 'sallyport-mutants-'))
  const temporary = join(copy, 't')
  let postgres
  let vitest
  let isClosing = false
  const close = async () => {
    isClosing = true
    killGroup(vitest)
    await postgres?.()
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => close().finally(() => process.exit(1)))

  try {
    await furnish()
  } catch (error) {
    await close()
    throw error
  }
  return { ask, close, isOver: isStopped }

  function isStopped() {
    return isClosing || isOver()
  }

  async function furnish() {
    // The database runs as another account where this is root.
    chmodSync(copy, 0o755)
    mkdirSync(temporary)
    chmodSync(temporary, 0o1777)
    process.env.TMPDIR = temporary
    for (const path of files) cpSync(join(ROOT, path), join(copy, path))
    for (const [path, text] of changed) writeFileSync(join(copy, path), text)
    for (const path of LINKED) if (existsSync(join(ROOT, path))) symlinkSync(join(ROOT, path), join(copy, path))
    let connection
    postgres = await startPostgres({ provide: (_, server) => (connection = server) })
    writeFileSync(join(copy, 'vitest.config.ts'), configOf(copy, connection))
    const slots = join(copy, 'apps/server/slots')
    mkdirSync(slots)
    for (let slot = 0; slot < BATCH; slot++) writeFileSync(join(slots, `${slot}.test.ts`), '')
  }

  /**
   * Answers one question after another, and calls `onAnswer` for each that was needed: those about
   * mutants that an earlier one found noticed are passed over. Ends early when the time is over.
   * @param {Question[]} questions
   * @param {(question: Question, answer: Answer) => void} onAnswer
   */
  async function ask(questions, onAnswer) {
    let left = questions
    while (left.length && !isStopped()) left = await askBatch(left, onAnswer)
  }

  async function askBatch(questions, onAnswer) {
    const answers = join(copy, 'answers')
    writeFileSync(answers, '')
    writeFileSync(join(copy, 'questions'), JSON.stringify(questions))
    vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'], {
      cwd: copy,
      env: { ...process.env, MUTANTS_ROOT: copy, MUTANTS_QUESTIONS: join(copy, 'questions'), MUTANTS_ANSWERS: answers },
      detached: true,
      stdio: process.env.MUTANTS_LOG ? 'inherit' : 'ignore',
    })
    const ended = once(vitest, 'exit')
    const noticed = new Set()
    const notice = (question) => question.mutants.length === 1 && noticed.add(question.mutants[0])
    let read = 0
    let last = -1
    /** The change being tried now. */
    let open
    let since = Date.now()
    const readOn = () => {
      const lines = readFileSync(answers, 'utf8').split('\n').slice(0, -1)
      for (const line of lines.slice(read)) {
        since = Date.now()
        const { at, ...answer } = JSON.parse(line)
        open = Object.keys(answer).length ? undefined : at
        if (open !== undefined) continue
        if (answer.failed) notice(questions[at])
        last = at
        onAnswer(questions[at], answer)
      }
      read = lines.length
    }
    const isLate = () =>
      Date.now() - since >
      (open === undefined ? START_MS : PATIENCE_MS + PATIENCE_FACTOR * (questions[open].usualMs ?? START_MS))
    while (vitest.exitCode === null && vitest.signalCode === null) {
      await Promise.race([ended, setTimeout(LOOK_MS)])
      readOn()
      if (isLate() || isStopped()) killGroup(vitest)
    }
    killGroup(vitest)
    readOn()
    if (open !== undefined && !isStopped()) {
      last = open
      notice(questions[open])
      onAnswer(questions[open], { failed: { by: 'hangs or ends the process', why: '' }, ms: Date.now() - since })
    } else if (last < 0 && !isStopped()) throw new Error('vitest does not start in the copy')
    return questions
      .slice(last + 1)
      .filter(({ mutants }) => !mutants.length || !mutants.every((one) => noticed.has(one)))
  }
}

function killGroup(child) {
  if (!child?.pid) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** One worker that keeps its modules; tests that wait for what never comes give up early. */
function configOf(copy, connection) {
  writeFileSync(
    join(copy, 'provide.ts'),
    `export default (project) => project.provide('testDatabaseServer', ${JSON.stringify(connection)})\n`,
  )
  const config = {
    test: {
      name: 'server',
      root: join(copy, 'apps/server'),
      include: ['slots/*.test.ts'],
      globalSetup: [join(copy, 'provide.ts')],
      runner: join(copy, 'scripts/mutants/test-runner.mjs'),
      isolate: false,
      maxWorkers: 1,
      passWithNoTests: true,
      testTimeout: 20_000,
      hookTimeout: 40_000,
      expect: { poll: { timeout: 8_000 } },
      experimental: { fsModuleCache: true, fsModuleCachePath: join(copy, '.cache') },
    },
  }
  return `export default ${JSON.stringify(config)}\n`
}
