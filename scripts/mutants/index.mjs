/**
 * `npm run mutants [-- --only PART]… [--tests PART]… [--every N] [--minutes N] [--again] [--afresh] [--list]`: changes one
 * small thing after another in the code that decides who may do what, and names the changes that no
 * test notices. Works in a copy and never in place.
 *
 * The copy holds all changes at once, switched on one by one (`instrument.mjs`), in one process that
 * keeps the server loaded (`test-runner.mjs`). Each file of tests runs once without a change, which
 * tells what each test reaches; a change is then shown to the tests that reach it, in the nearest
 * files first, until one fails. What survives is shown to all other files, with everything loaded
 * again. Both are kept in `test-results/`: a further run goes on where the last one ended, and judges
 * again what is in a declaration that changed since. What a test reaches is found out again when
 * the test or a file that it runs through has changed.
 *
 * `--only PART` takes files with this in their path, or one line of them (`sign-in.ts:91`), `--every N` the first
 * change of each file and each N-th after it, `--minutes` ends the run after that time, `--near` asks the nearest
 * files alone, `--tests PART` asks the files of tests with this in their path and no others, which gives verdicts
 * within minutes (some lines, the few files that are about them), `--again` judges the survivors again (with tests
 * written since), `--afresh` loads everything again for each question, for code whose results are kept, `--list`
 * prints those known so far and stops.
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
/** Folders and files of code that are tried, and tests of other folders that are about them, by their names. */
const TRIED = {
  'kernel/access/': /\/(access|browser-sessions|foreign-\w+|organization|credentials|read-json)\.test/,
  'domains/perms/': /\/(target-family|limits)\.test/,
  'domains/acls/': /\/(login-rules|target-review)\.test/,
  'domains/tickets/': /\/(login-rules|target-review)\.test/,
  'domains/users/password/': /\/(profile|password-reset|sign-in)\.test/,
  'domains/authentication/':
    /\/(profile|own-profile|browser-sessions|ssh|second-factor|token-terminal|postgresql|postgresql-session|import-job)\.test/,
  'domains/xpack/license': /\/access\.test/,
  'domains/accounts/executions/': /\/database-rotation\.test/,
  'domains/accounts/rotation/': /\/(app-plans|executions)\.test/,
  'domains/audits/jobs.ts': /\/retention\.test/,
  'domains/terminal/retention.ts': /\/retention\.test/,
  'domains/terminal/replay': /\/terminal\/recording\/routes\.test/,
  'domains/terminal/recording/routes.ts': /\/foreign-\w+\.test/,
  'domains/terminal/recording/downloads/routes.ts': /\/foreign-\w+\.test/,
  'gateway/files/enclosure.ts': /\/granted-tree\.test/,
  'gateway/files/file-r': /\/granted-tree\.test/,
  'gateway/guard/': /\/guard\//,
  'gateway/supervision.ts': /\/gateway\/limits\.test/,
  'kernel/http/connection-limits.ts': /\/connection-limits\.test/,
}
/** Tests, tables as data, and drawing. */
const LEFT_OUT = /\.test\.ts$|fixture\.ts$|\/(tables|views|index)\.ts$|captcha-image\.ts$/
/** So many files of tests are asked about one change alone; then all about all survivors at once. */
const NEAREST = 3
/** The distance of tests that are neither beside the code nor about it. */
const FAR = 2
/** Tests that are asked: not those that start processes of the product, or upgrade every release. */
const TESTS = [
  /^apps\/server\/(src\/(domains|kernel\/(access|resource|http))|test)\/.*\.test\.ts$/,
  /^apps\/server\/src\/gateway\/.*\/?(cluster-terminal|enclosure|file-rights|limits|menu|target-review|granted-tree|ssh|second-factor|login-rules|token-terminal|postgresql|postgresql-session)\.test\.ts$/,
  /^apps\/server\/src\/gateway\/(guard|kinds\/(terminal|statements))\/.*\.test\.ts$/,
]
const TESTS_LEFT_OUT =
  /\/(releases\/.*|real-shells|keyed-corpus|start|rotate-key|new-resource|locales|schema)\.test\.ts$/

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true },
    every: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    near: { type: 'boolean' },
    again: { type: 'boolean' },
    afresh: { type: 'boolean' },
    list: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (options.help) {
  console.log(
    readFileSync(import.meta.filename, 'utf8')
      .match(/\/\*\*\n(.*?)\n \*\//s)[1]
      .replaceAll(/^ \* ?/gm, ''),
  )
  process.exit()
}
const files = trackedFiles()
const verdicts = stored(VERDICTS)
const reach = stored(REACH)
const mutants = findMutants()
const shares = new Map()
/** Changes of what runs when its file is loaded, which may also happen within a test. */
let loaded = new Set()
const codeOf = new Map(
  [...Map.groupBy(mutants, ({ path }) => path)].map(([path, here]) => [path, hashOf(here.map(({ id }) => id))]),
)
const chosen = mutants.filter(
  (mutant) => (options.only ?? ['']).some((part) => isIn(mutant, part)) && mutant.place % Number(options.every) === 0,
)
if (!options.list) await judge(chosen.filter(isOpen))
report()

function findMutants() {
  const found = Object.entries(TRIED).flatMap(([folder, about]) =>
    files
      .filter((path) => path.startsWith(`${SERVER}src/${folder}`) && path.endsWith('.ts') && !LEFT_OUT.test(path))
      .flatMap((path) => {
        const text = textOf(path)
        return mutantsOf(text).map((mutant, place) => ({
          id: identify(path, text, mutant),
          path,
          folder,
          text,
          about,
          place,
          ...mutant,
        }))
      }),
  )
  return found.map((mutant, number) => ({ ...mutant, number }))
}

function textOf(path) {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Key of a verdict: the change, and the declaration that it is in. */
function identify(path, text, { declaration: { start: from, end: until }, start, end, to }) {
  return hashOf(path, text.slice(from, until), start - from, end - from, to)
}

/** `part` is one of a path, and may end in a line: `sign-in.ts:91`. */
function isIn({ path, text, start }, part) {
  const [, file, line] = /^(.*?)(?::(\d+))?$/.exec(part)
  return path.includes(file) && (!line || lineAt(text, start) === Number(line))
}

function isOpen({ id }) {
  const known = verdicts[id]
  return !known || (known.verdict === 'survived' && !known.others) || (options.again && known.verdict !== 'noticed')
}

async function judge(todo) {
  if (!todo.length) return
  const byFile = Map.groupBy(mutants, ({ path }) => path)
  const changed = [...byFile].map(([path, here]) => [path, instrument(here[0].text, here, ({ number }) => number)])
  const workshop = await openWorkshop(files, new Map(changed), overAfter(Number(options.minutes)))
  try {
    const tests = testFiles()
    const isNear = ({ path }) => options.tests || todo.some((mutant) => distance(mutant, path) < FAR)
    await recordReach(workshop, tests.filter(isNear))
    await askNearest(workshop, todo, reaching(tests.filter(isNear)))
    if (options.near || options.tests) return
    await recordReach(workshop, tests)
    await askOthers(workshop, todo, reaching(tests))
  } finally {
    await workshop.close()
  }
}

/** Shows each mutant to the tests that are most likely to notice it. */
async function askNearest(workshop, todo, tests) {
  const fresh = todo.filter(({ id }) => options.again || !verdicts[id])
  const nearest = fresh.flatMap((mutant) => questionsAbout(mutant, tests).slice(0, options.tests ? Infinity : NEAREST))
  await findManners(workshop, new Set(nearest.map(({ file }) => file)))
  const last = new Map(nearest.map((question) => [question.mutants[0], question]))
  let done = 0
  await workshop.ask(freshLast(nearest.map(asItMayRun)), (question, { failed }) => {
    const mutant = mutants[question.mutants[0]]
    if (failed) settle(mutant, { verdict: 'noticed', by: failed.by, why: failed.why.slice(0, 100) })
    else if (last.get(mutant.number).file === question.file) settle(mutant, { verdict: 'survived' })
    else return
    console.log(`${++done}/${last.size} ${verdicts[mutant.id].verdict.padEnd(8)} ${describe(mutant)}`)
  })
}

/**
 * Shows what is left to all files that reach it, all of it together, as few will notice anything:
 * where one does, the half that it notices is looked for. Everything is loaded again, as what a warm
 * process remembers may hide a change.
 */
async function askOthers(workshop, todo, tests) {
  const left = todo.filter(({ id }) => verdicts[id]?.verdict !== 'noticed' && !verdicts[id]?.others)
  const isLeft = (number) => verdicts[mutants[number].id]?.verdict !== 'noticed'
  const byFile = Map.groupBy(
    left.flatMap((mutant) => questionsAbout(mutant, tests)),
    ({ file }) => file,
  )
  const reached = new Set([...byFile.values()].flat().map(({ mutants: [number] }) => number))
  let groups = [...byFile].map(([file, questions]) => ({
    file,
    mutants: questions.map(({ mutants: [number] }) => number),
    afresh: true,
    usualMs: questions[0].usualMs,
  }))
  while (groups.length && !workshop.isOver()) {
    const halves = []
    await workshop.ask(groups, (question, { failed }) => {
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
  if (workshop.isOver()) return
  for (const mutant of left.filter(({ number }) => isLeft(number)))
    settle(mutant, { verdict: reached.has(mutant.number) ? 'survived' : 'not reached', others: true })
}

/** Loading everything again for one question is slow, so those that need it come last. */
function freshLast(questions) {
  return questions.toSorted((one, other) => Number(one.afresh) - Number(other.afresh))
}

function settle(mutant, reported) {
  verdicts[mutant.id] = { ...reported, what: describe(mutant) }
  store(VERDICTS, verdicts)
}

function testFiles() {
  return files
    .filter((path) => TESTS.some((part) => part.test(path)) && !TESTS_LEFT_OUT.test(path))
    .filter((path) => !options.tests || options.tests.some((part) => path.includes(part)))
    .map((path) => ({ path, key: hashOf(readFileSync(join(ROOT, path), 'utf8')) }))
}

/** Whether what the tests reach was found out since they, or the files they run through, changed. */
function isRecorded({ path, key }) {
  const known = reach[path]
  return (
    known?.key === key && !known.failed && Object.entries(known.code).every(([at, code]) => codeOf.get(at) === code)
  )
}

/** Runs each file of tests without a change, unless that was done. */
async function recordReach(workshop, tests) {
  const missing = tests.filter((test) => !isRecorded(test))
  const ids = (numbers) => numbers.map((number) => mutants[number].id)
  await workshop.ask(
    missing.map(({ path }) => ({ file: path, mutants: [], afresh: true })),
    ({ file }, { failed, ms, loads = [], around = [], tests: ran = [] }) => {
      const { key } = missing.find(({ path }) => path === file)
      const ranTests = ran.map(({ test, runs }) => ({ test, runs: ids(runs) }))
      const paths = new Set([...around, ...ran.flatMap(({ runs }) => runs)].map((number) => mutants[number].path))
      const code = Object.fromEntries([...paths].map((path) => [path, codeOf.get(path)]))
      const record = { path: file, key, code, failed, ms, loads: ids(loads), around: ids(around), tests: ranTests }
      store(REACH, Object.assign(reach, { [file]: record }))
      if (failed) console.log(`left out, as it fails unchanged: ${file}: ${failed.by}: ${failed.why}`)
    },
  )
}

/** Knowledge of those files of tests that ran. */
function reaching(tests) {
  const known = tests.filter(isRecorded).map(({ path }) => reach[path])
  loaded = new Set(known.flatMap(({ loads }) => loads))
  return known
}

/**
 * Finds out how each file may run: where it passes from its last test to its first, each of its
 * tests may run without the others; where it passes only in order they always run together. What
 * replaces modules by its own has them loaded afresh: where they are loaded it would have the others.
 */
async function findManners(workshop, paths) {
  const tries = [
    { manner: 'each test alone', backwards: true },
    { manner: 'together', backwards: false },
  ]
  for (const { manner, backwards } of tries) {
    const open = [...paths].filter((path) => !reach[path].manner && !replacesModules(path))
    await workshop.ask(
      open.map((file) => ({ file, mutants: [], afresh: false, backwards, usualMs: reach[file].ms })),
      ({ file }, { failed }) => {
        if (failed) console.log(`not ${manner}: ${file}: ${failed.by}: ${failed.why}`)
        else store(REACH, Object.assign(reach, { [file]: { ...reach[file], manner } }))
      },
    )
  }
  for (const path of paths) reach[path].manner ??= 'afresh'
}

function replacesModules(path) {
  return /\bvi\.(doMock|mock|resetModules)\(/.test(readFileSync(join(ROOT, path), 'utf8'))
}

/**
 * One question for each file of tests that reaches the mutant: those of its domain or about it first;
 * of these, the one of its name, those beside it, and those whose tests run through the most of its file. What runs when it is loaded is shown
 * to all that run something else of its file, loaded afresh.
 */
function questionsAbout(mutant, tests) {
  const { id, number, path } = mutant
  const isRun = (one, { around, tests: ran }) => around.includes(one) || ran.some(({ runs }) => runs.includes(one))
  const isLoading = loaded.has(id)
  const beside = mutants.filter((other) => other.path === path && !loaded.has(other.id))
  const ids = isLoading ? beside.map((other) => other.id) : [id]
  const near = (file) => distance(mutant, file.path)
  const isFar = (file) => Number(near(file) === FAR)
  const isBeside = (file) =>
    file.path === path.replace(/\.ts$/, '.test.ts') ? 2 : Number(dirname(file.path) === dirname(path))
  return tests
    .filter((file) => ids.some((one) => isRun(one, file)))
    .toSorted(
      (one, other) =>
        isFar(one) - isFar(other) ||
        isBeside(other) - isBeside(one) ||
        share(other, path) - share(one, path) ||
        near(one) - near(other) ||
        one.ms - other.ms,
    )
    .map(({ path: file, ms, around, tests: ran }) => ({
      file,
      mutants: [number],
      afresh: isLoading,
      usualMs: ms,
      ...(isLoading || around.includes(id)
        ? {}
        : { tests: ran.filter(({ runs }) => runs.includes(id)).map(({ test }) => test) }),
    }))
}

/** How many of the changes in a file of code the tests of a file run through. */
function share({ path, tests }, code) {
  const counts = shares.getOrInsertComputed(path, () => {
    const run = new Set(tests.flatMap(({ runs }) => runs))
    return Object.groupBy(
      mutants.filter(({ id }) => run.has(id) && !loaded.has(id)),
      (mutant) => mutant.path,
    )
  })
  return counts[code]?.length ?? 0
}

/** Tests that need those before them run with all of these. */
function asItMayRun({ tests, ...question }) {
  const { manner, tests: all } = reach[question.file]
  const afresh = options.afresh || question.afresh || manner === 'afresh'
  if (!tests || manner === 'each test alone') return { ...question, afresh, tests }
  const last = all.findLastIndex(({ test }) => tests.includes(test))
  return { ...question, afresh, tests: all.slice(0, last + 1).map(({ test }) => test) }
}

/** How far a file of tests stands from the code that changes. */
function distance({ path, about }, file) {
  if (dirname(file) === dirname(path) || about.test(file)) return 0
  const folder = path.split('/').slice(0, 5).join('/')
  return file.startsWith(`${folder}/`) ? 1 : FAR
}

function describe({ path, text, start, end, to }) {
  const plain = (code) => code.replace(/\s+/g, ' ').slice(0, 70)
  return `${path.slice(`${SERVER}src/`.length)}:${lineAt(text, start)}  ${plain(text.slice(start, end))}  →  ${plain(to)}`
}

function lineAt(text, start) {
  return text.slice(0, start).split('\n').length
}

function report() {
  const judged = chosen.filter(({ id }) => verdicts[id])
  const isSurvivor = ({ id }) => verdicts[id].verdict !== 'noticed'
  for (const mutant of judged.filter(isSurvivor)) console.log(`${verdicts[mutant.id].verdict}: ${describe(mutant)}`)
  // With `--tests` and `--near`: none of the files that were asked runs through them.
  for (const mutant of options.only ? chosen.filter(({ id }) => !verdicts[id]) : [])
    console.log(`not judged: ${describe(mutant)}`)
  for (const [folder, here] of Map.groupBy(chosen, (mutant) => mutant.folder)) {
    const known = here.filter(({ id }) => verdicts[id])
    const survivors = known.filter(isSurvivor).length
    console.log(`${folder}: ${here.length} changes, ${known.length} judged, ${survivors} survived`)
  }
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
