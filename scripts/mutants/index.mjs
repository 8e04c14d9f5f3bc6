/**
 * `npm run mutants [-- --only PART]… [--every N] [--minutes N] [--again] [--list]`: changes one
 * small thing after another in the code that decides who may do what, and names the changes that no
 * test notices. Works in a copy and never in place.
 *
 * The copy holds all changes at once, switched on one by one (`instrument.mjs`), in one process that
 * keeps the server loaded (`test-runner.mjs`). Each file of tests runs once without a change, which
 * tells what it reaches; a change is then shown to the files that reach it, the nearest first, until
 * one fails. Both are kept in `test-results/`: a further run goes on where the last one ended, and
 * judges again what stands in a file that changed since.
 *
 * `--every N` takes each N-th change, `--minutes` ends the run after that time, `--again` judges the
 * survivors again (with tests written since), `--list` prints those known so far and stops.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../prepare.mjs'
import { instrument } from './instrument.mjs'
import { mutantsOf } from './mutations.mjs'
import { openWorkshop } from './workshop.mjs'

const RESULTS = join(ROOT, 'test-results')
const VERDICTS = join(RESULTS, 'mutants.json')
const REACH = join(RESULTS, 'mutants-reach.json')
const SERVER = 'apps/server/'
/** The code that is tried, and tests of other folders that are about it, by their names. */
const TRIED = {
  'kernel/access': /\/(access|browser-sessions|foreign-\w+|organization|credentials)\.test/,
  'domains/perms': /\/(target-family|limits)\.test/,
  'domains/acls': /\/(login-rules|target-review)\.test/,
  'domains/tickets': /\/(login-rules|target-review)\.test/,
  'domains/authentication': /\/(profile|own-profile)\.test/,
}
/** Tests, tables as data, and drawing. */
const LEFT_OUT = /\.test\.ts$|fixture\.ts$|\/(tables|views|index)\.ts$|captcha-image\.ts$/
/** Hashing as strong as outside of tests would take much of the time. */
const CHEAP_HASH = ['memoryCost: 19_456, timeCost: 2', 'memoryCost: 64, timeCost: 1']
const HASHING = 'apps/server/src/domains/users/password/password.ts'
/** So many files of tests are asked about one change alone; the others about all survivors at once. */
const NEAREST = 3
/** Tests that are asked: not those that start processes of the product, or upgrade every release. */
const TESTS = [
  /^apps\/server\/(src\/(domains|kernel\/(access|resource|http))|test)\/.*\.test\.ts$/,
  /^apps\/server\/src\/gateway\/.*\/?(target-review|granted-tree)\.test\.ts$/,
]
const TESTS_LEFT_OUT = /\/(releases\/.*|start|rotate-key|new-resource|locales|schema)\.test\.ts$/

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    every: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    again: { type: 'boolean' },
    list: { type: 'boolean' },
  },
})
const files = trackedFiles()
const verdicts = stored(VERDICTS)
const reach = stored(REACH)
const mutants = findMutants()
const chosen = mutants.filter(
  ({ path }, index) => options.only.some((part) => path.includes(part)) && index % Number(options.every) === 0,
)
if (!options.list) await judge(chosen.filter(isOpen))
report()

function findMutants() {
  const found = Object.entries(TRIED).flatMap(([folder, about]) =>
    files
      .filter((path) => path.startsWith(`${SERVER}src/${folder}/`) && path.endsWith('.ts') && !LEFT_OUT.test(path))
      .flatMap((path) => {
        const text = readFileSync(join(ROOT, path), 'utf8')
        return mutantsOf(text).map((mutant) => ({ id: hashOf(path, text, mutant), path, text, about, ...mutant }))
      }),
  )
  return found.map((mutant, number) => ({ ...mutant, number }))
}

function isOpen({ id }) {
  const known = verdicts[id]
  return !known || (known.verdict === 'survived' && !known.others) || (options.again && known.verdict !== 'noticed')
}

async function judge(todo) {
  if (!todo.length) return
  const byFile = Map.groupBy(mutants, ({ path }) => path)
  const changed = [...byFile].map(([path, here]) => [path, instrument(here[0].text, here, ({ number }) => number)])
  changed.push([HASHING, readFileSync(join(ROOT, HASHING), 'utf8').replace(...CHEAP_HASH)])
  const workshop = await openWorkshop(files, new Map(changed), overAfter(Number(options.minutes)))
  try {
    const tests = await recordReach(workshop)
    if (workshop.isOver()) return
    const reaching = new Map(todo.map((mutant) => [mutant, questionsAbout(mutant, tests)]))
    await askNearest(workshop, reaching)
    await askOthers(workshop, reaching)
  } finally {
    await workshop.close()
  }
}

/** Shows each mutant to the files of tests that are most likely to notice it. */
async function askNearest(workshop, reaching) {
  const fresh = [...reaching].filter(([{ id }]) => options.again || !verdicts[id])
  for (const [mutant, questions] of fresh)
    if (!questions.length) settle(mutant, { verdict: 'not reached', others: true })
  const nearest = fresh.flatMap(([, questions]) => questions.slice(0, NEAREST))
  const last = new Map(nearest.map((question) => [question.mutants[0], question]))
  let done = 0
  await workshop.ask(freshLast(nearest), (question, { failed }) => {
    const mutant = mutants[question.mutants[0]]
    if (failed) settle(mutant, { verdict: 'noticed', by: failed.by, why: failed.why.slice(0, 100) })
    else if (last.get(mutant.number) === question)
      settle(mutant, { verdict: 'survived', others: reaching.get(mutant).length <= NEAREST })
    else return
    console.log(`${++done}/${last.size} ${verdicts[mutant.id].verdict.padEnd(8)} ${describe(mutant)}`)
  })
}

/**
 * Shows what survived to the other files that reach it, all of it together, as few will notice
 * anything: where one does, the half that it notices is looked for.
 */
async function askOthers(workshop, reaching) {
  const left = [...reaching].filter(([{ id }]) => verdicts[id]?.verdict === 'survived' && !verdicts[id].others)
  const isLeft = (number) => verdicts[mutants[number].id].verdict === 'survived'
  const byFile = Map.groupBy(
    left.flatMap(([, questions]) => questions.slice(NEAREST)),
    ({ file }) => file,
  )
  let groups = [...byFile.values()].map((questions) => ({
    ...questions[0],
    mutants: questions.map(({ mutants: [number] }) => number),
    afresh: questions.some(({ afresh }) => afresh),
  }))
  while (groups.length && !workshop.isOver()) {
    const halves = []
    await workshop.ask(freshLast(groups), (question, { failed }) => {
      if (!failed) return
      const { mutants: group } = question
      if (group.length > 1) {
        const middle = Math.ceil(group.length / 2)
        for (const half of [group.slice(0, middle), group.slice(middle)]) halves.push({ ...question, mutants: half })
      } else {
        settle(mutants[group[0]], { verdict: 'noticed', by: failed.by, why: failed.why.slice(0, 100) })
        console.log(`noticed after all ${describe(mutants[group[0]])}`)
      }
    })
    groups = halves
      .map((question) => ({ ...question, mutants: question.mutants.filter(isLeft) }))
      .filter((question) => question.mutants.length)
  }
  if (!workshop.isOver())
    for (const [mutant] of left) if (isLeft(mutant.number)) settle(mutant, { verdict: 'survived', others: true })
}

/** Loading everything anew for one question is slow, so those that need it come last. */
function freshLast(questions) {
  return questions.toSorted((one, other) => Number(one.afresh) - Number(other.afresh))
}

function settle(mutant, told) {
  verdicts[mutant.id] = { ...told, what: describe(mutant) }
  store(VERDICTS, verdicts)
}

/**
 * Runs each file of tests without a change, unless that was done since it or the code changed.
 * @returns {Promise<{ path: string, ms: number, afresh: boolean, loads: string[], runs: string[] }[]>}
 * for each file the mutants in what it ran; and in what was loaded for it, where nothing had loaded
 * that before
 */
async function recordReach(workshop) {
  const code = hashOf(...mutants.map(({ id }) => id).toSorted())
  const tests = files
    .filter((path) => TESTS.some((part) => part.test(path)) && !TESTS_LEFT_OUT.test(path))
    .map((path) => ({ path, key: hashOf(code, readFileSync(join(ROOT, path), 'utf8')) }))
  // What replaces modules by others of its own has to load them itself.
  for (const afresh of [false, true]) {
    const missing = tests.filter(({ path, key }) => reach[path]?.key !== key)
    await workshop.ask(
      missing.map(({ path }) => ({ file: path, mutants: [], afresh })),
      ({ file }, { failed, ms, loads = [], runs = [] }) => {
        const { key } = tests.find(({ path }) => path === file)
        const ids = (numbers) => numbers.map((number) => mutants[number].id)
        if (!failed)
          store(REACH, Object.assign(reach, { [file]: { key, ms, afresh, loads: ids(loads), runs: ids(runs) } }))
        else if (afresh) console.log(`left out, as it fails unchanged: ${file}: ${failed.by}: ${failed.why}`)
      },
    )
  }
  return tests.flatMap(({ path }) => (reach[path] ? { path, ...reach[path] } : []))
}

/**
 * One question for each file of tests that reaches the mutant: those beside its code first, then
 * those that are about it, the quick ones before the slow. What runs when it is loaded is shown to
 * all that run something else of its file, loaded afresh.
 */
function questionsAbout({ id, number, path, about }, tests) {
  const folder = path.split('/').slice(0, 5).join('/')
  const distance = ({ file }) => {
    if (dirname(file) === dirname(path)) return 0
    return file.startsWith(`${folder}/`) || about.test(file) ? 1 : 2
  }
  const isLoading = !tests.some(({ runs }) => runs.includes(id)) && tests.some(({ loads }) => loads.includes(id))
  const ids = isLoading ? mutants.filter((mutant) => mutant.path === path).map((mutant) => mutant.id) : [id]
  return tests
    .filter(({ runs }) => ids.some((one) => runs.includes(one)))
    .map(({ path: file, ms, afresh }) => ({ file, mutants: [number], afresh: afresh || isLoading, usualMs: ms }))
    .toSorted((one, other) => distance(one) - distance(other) || one.usualMs - other.usualMs)
}

function describe({ path, text, start, end, to }) {
  const plain = (code) => code.replace(/\s+/g, ' ').slice(0, 70)
  const line = text.slice(0, start).split('\n').length
  return `${path.slice(`${SERVER}src/`.length)}:${line}  ${plain(text.slice(start, end))}  →  ${plain(to)}`
}

function report() {
  const judged = chosen.flatMap(({ id }) => verdicts[id] ?? [])
  const survived = judged.filter(({ verdict }) => verdict !== 'noticed')
  for (const { what, verdict } of survived.toSorted(byPlace)) console.log(`${verdict}: ${what}`)
  console.log(`${chosen.length} mutants, ${judged.length} judged, ${survived.length} survived`)
}

function byPlace({ what: one }, { what: other }) {
  return one.localeCompare(other, 'en', { numeric: true })
}

function overAfter(minutes) {
  const until = Date.now() + minutes * 60_000
  return () => Date.now() > until
}

function hashOf(...parts) {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

function stored(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

function store(path, value) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(value, null, 1))
}

function trackedFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  return stdout.split('\n').filter((path) => path && existsSync(join(ROOT, path)))
}
