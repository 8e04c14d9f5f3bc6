/**
 * `npm run mutants [-- --only PART]… [--limit N] [--near] [--list]`: changes one small
 * thing after another in the code that decides who may do what, and names the changes that no test
 * notices. Works in a copy and never in place. What was judged is kept in `test-results/mutants.json`: a further run
 * goes on where the last one ended, and judges again what stands in a file that changed since.
 * `--near` asks the tests beside a file alone, which is quick; the next run without it asks the others
 * about what survived.
 * `--list` prints the survivors known so far and stops.
 */
import { fork, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf } from './mutations.mjs'
import { ROOT } from './prepare.mjs'

const RUNNER = fileURLToPath(new URL('mutant-runner.mjs', import.meta.url))
const STATE = join(ROOT, 'test-results/mutants.json')
const SERVER = 'apps/server/'
/** The code that is tried. */
const TRIED = /^apps\/server\/src\/(domains\/(perms|acls|tickets|authentication)|kernel\/access)\/.*\.ts$/
/** Tests, tables as data, and drawing. */
const LEFT_OUT = /\.test\.ts$|fixture\.ts$|\/(tables|views|index)\.ts$|captcha-image\.ts$/
/** A run that takes longer hangs, which anybody would notice. */
const RUN_LIMIT_MS = 240_000

/** Tests of other folders that are about the code of one, by their names. */
const FURTHER = {
  'domains/perms': ['target-family', 'file-rights', 'limits'],
  'domains/acls': ['login-rules', 'target-review'],
  'domains/tickets': ['login-rules', 'target-review'],
  'domains/authentication': ['profile', 'second-factor'],
  'kernel/access': ['access', 'browser-sessions', 'foreign-organisation', 'suggestions', 'organization', 'credentials'],
}

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    limit: { type: 'string' },
    near: { type: 'boolean' },
    list: { type: 'boolean' },
  },
})
const files = trackedFiles()
const verdicts = existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : {}
const mutants = findMutants()
if (!options.list) await judge(mutants.filter(isOpen).slice(0, Number(options.limit ?? Infinity)))
report()

/** In an order that is the same each time and touches every file early. */
function findMutants() {
  return files
    .filter((path) => TRIED.test(path) && !LEFT_OUT.test(path) && options.only.some((part) => path.includes(part)))
    .flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      return mutantsOf(text).map((mutant) => {
        const id = createHash('sha256')
          .update(JSON.stringify([path, text, mutant]))
          .digest('hex')
          .slice(0, 16)
        return { id, path, text, ...mutant }
      })
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** What was judged by the nearest tests alone, and survived, has the others to fear. */
function isOpen({ id }) {
  const known = verdicts[id]
  return !known || (known.near && known.verdict === 'survived' && !options.near)
}

/**
 * The tests that are about a file, in steps: most changes are noticed by the nearest ones, and the
 * next step is for those that are not. With `--near` there is no next one.
 */
function testsFor(path) {
  const inside = path.slice(SERVER.length)
  const folder = inside.match(/^src\/((?:domains|kernel)\/[^/]+)/)[1]
  const tests = files.filter((file) => file.startsWith(`${SERVER}src/${folder}/`) && file.endsWith('.test.ts'))
  const beside = tests.filter((test) => dirname(test) === dirname(path))
  const near = beside.length ? beside : tests
  const further = FURTHER[folder].flatMap((name) => {
    const found = files.filter((file) => file.startsWith(SERVER) && file.endsWith(`/${name}.test.ts`))
    if (!found.length) throw new Error(`no test ${name}.test.ts`)
    return found
  })
  const all = dirname(path) === `${SERVER}src/${folder}` ? tests : []
  const rest = [...new Set([...all, ...further])].filter((test) => !near.includes(test))
  return options.near ? [near] : [near, rest]
}

async function judge(todo) {
  const copy = mkdtempSync(join(tmpdir(), 'sallyport-mutants-'))
  let runner
  const stop = () => {
    if (runner?.pid) process.kill(-runner.pid, 'SIGKILL')
    runner = undefined
  }
  process.once('SIGINT', () => {
    stop()
    rmSync(copy, { recursive: true, force: true })
    process.exit(1)
  })
  try {
    for (const path of files) cpSync(join(ROOT, path), join(copy, path))
    for (const packages of ['node_modules', 'apps/console/node_modules', 'apps/server/node_modules'])
      if (existsSync(join(ROOT, packages))) symlinkSync(join(ROOT, packages), join(copy, packages))
    for (const [index, mutant] of todo.entries()) {
      const file = join(copy, mutant.path)
      writeFileSync(file, mutant.text.slice(0, mutant.start) + mutant.to + mutant.text.slice(mutant.end))
      runner ??= fork(RUNNER, [copy], { cwd: copy, detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      let answer
      for (const tests of testsFor(mutant.path)) {
        answer = await ask(runner, { file, tests })
        if (answer.verdict !== 'survived') break
      }
      const { verdict, by } = answer
      if (verdict === 'hangs') stop()
      writeFileSync(file, mutant.text)
      verdicts[mutant.id] = { verdict, by, near: options.near, at: placeOf(mutant), change: changeOf(mutant) }
      mkdirSync(dirname(STATE), { recursive: true })
      writeFileSync(STATE, JSON.stringify(verdicts, null, 1))
      console.log(`${index + 1}/${todo.length} ${verdict.padEnd(8)} ${placeOf(mutant)}  ${changeOf(mutant)}`)
    }
  } finally {
    runner?.disconnect()
    await new Promise((done) => (runner ? runner.once('exit', done) : done()))
    rmSync(copy, { recursive: true, force: true })
  }
}

/**
 * What the tests say: `noticed`, `survived`, or `late` and `hangs` where they took too long to tell.
 */
function ask(runner, question) {
  return new Promise((resolve) => {
    const late = setTimeout(() => answer({ verdict: 'hangs' }), RUN_LIMIT_MS)
    const ended = () => answer({ verdict: 'hangs' })
    const answer = (told) => {
      clearTimeout(late)
      runner.off('message', answer).off('exit', ended)
      resolve(told)
    }
    runner.once('message', answer).once('exit', ended)
    runner.send(question)
  })
}

function placeOf({ path, text, start }) {
  return `${path.slice(SERVER.length + 'src/'.length)}:${text.slice(0, start).split('\n').length}`
}

function changeOf({ text, start, end, to }) {
  const plain = (code) => code.replace(/\s+/g, ' ').slice(0, 70)
  return `${plain(text.slice(start, end))}  →  ${plain(to) || '(nothing)'}`
}

function report() {
  const judged = mutants.flatMap(({ id }) => verdicts[id] ?? [])
  const left = judged.filter(({ verdict }) => verdict !== 'noticed')
  for (const { verdict, at, change } of left.toSorted((one, other) => (one.at < other.at ? -1 : 1)))
    console.log(`${verdict}: ${at}  ${change}`)
  const survived = left.filter(({ verdict }) => verdict === 'survived').length
  console.log(`${mutants.length} mutants, ${judged.length} judged, ${survived} survived`)
}

function trackedFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  return stdout.split('\n').filter((path) => path && existsSync(join(ROOT, path)))
}
