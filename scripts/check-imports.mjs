/**
 * Keeps the arrows of ARCHITECTURE.md: console → contract ← server; gateway → domains → kernel; a
 * domain reaches another only through its index.ts, or that of one of its folders; the life of all
 * sessions knows no protocol; the entries of a folder form no circle, nor do fixtures; SQL names no
 * table of another domain, only what its views.ts lists, and none of a library; and no folder holds
 * more files, nor its index.ts more names, than a reader takes in at a glance. Prints what goes the wrong way and ends with 1.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { crowdedFolders } from './crowded-folders.mjs'
import { wideEntries } from './exported-names.mjs'
import { importCircles } from './import-circles.mjs'
import { describedTwice, foreignSql, librarySql, namesInMigrations, ownership } from './sql-ownership.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const MIGRATIONS = join(ROOT, 'apps/server/migrations')
const SOURCES = [
  'packages/contract/src',
  'packages/client/src',
  'packages/cli/src',
  'apps/server/src',
  'apps/console/src',
]
/** Folders whose SQL is checked together with their tests. */
const WITH_SQL = ['apps/server/src', 'apps/server/test', 'bench', 'e2e']

/**
 * `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')` and `typeof import('x')`.
 */
const IMPORT =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

/**
 * Every module that a source text imports, as written. Comments are taken out first, so that
 * examples in them don't count.
 */
export function importsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(IMPORT)].map((found) => found[1] ?? found[2] ?? found[3])
}

/** Parts of the gateway in which protocols are known. */
const PROTOCOLS = new Set(['protocols', 'connectors', 'listeners', 'kinds', 'repl', 'workbench', 'databases'])

/** Messages of sockets, and what a proxy did to requests, are parsed on both sides; all else in the contract is plain data. */
const PARSED = ['packages/contract/src/socket/', 'packages/contract/src/proxy-check.ts']

/** Where a file lives: which side, and on the server which layer and domain. */
function placeOf(path) {
  if (path.startsWith('packages/contract/')) return { side: 'contract' }
  if (path.startsWith('packages/client/')) return { side: 'client' }
  if (path.startsWith('packages/cli/')) return { side: 'cli' }
  if (path.startsWith('apps/console/')) return { side: 'console' }
  const [, layer, rest] = path.match(/^apps\/server\/src\/(kernel|domains|gateway)\/(.+)$/) ?? []
  // domains/index.ts lists the domains and belongs to server.ts, as does everything directly in
  // src/.
  const domain = layer === 'domains' && rest.includes('/') ? rest.split('/')[0] : undefined
  return {
    side: 'server',
    layer: layer === 'domains' && !domain ? 'start' : (layer ?? 'start'),
    domain,
    part: layer === 'gateway' ? rest.split('/')[0] : undefined,
    isDoor: domain !== undefined && /^[^/]+\/(?:[^/]+\/)?index\.ts$/.test(rest),
  }
}

/**
 * Why a file may not import another, or undefined when it may.
 * @param {string} from path from the root of the repository, with slashes
 * @param {string} specifier as written in the import
 */
export function refusal(from, specifier) {
  const own = specifier.match(/^@sallyport\/([^/]+)/)?.[1]
  const source = placeOf(from)
  if (!own && !specifier.startsWith('.')) {
    if (source.side !== 'contract' || (specifier === 'zod/mini' && PARSED.some((place) => from.startsWith(place))))
      return undefined
    return 'the contract imports nothing outside itself'
  }
  if (own) {
    const side = own
    if (side === source.side) return `inside ${side}, import by path`
    return side === 'contract' || (side === 'client' && source.side === 'cli')
      ? undefined
      : `${source.side} may import the contract only, not ${side}`
  }
  const target = placeOf(posix.join(posix.dirname(from), specifier))
  if (target.side !== source.side) {
    if (source.side === 'contract') return 'the contract imports nothing outside itself'
    return target.side === 'contract'
      ? 'import the contract as @sallyport/contract/…'
      : `${source.side} may not import ${target.side}`
  }
  if (source.side !== 'server') return undefined
  if (source.layer === 'start') return undefined
  if (target.layer === 'start') return `${source.layer} may not import what starts it`
  if (source.layer === 'kernel' && target.layer !== 'kernel')
    return `the kernel knows no ${target.layer === 'domains' ? 'domain' : 'gateway'}`
  if (source.layer === 'domains' && target.layer === 'gateway') return 'a domain may not import the gateway'
  if (source.part === 'session' && PROTOCOLS.has(target.part)) return 'the life of a session knows no protocol'
  if (target.layer === 'domains' && target.domain !== source.domain && !target.isDoor) {
    return `reach the domain ${target.domain} through its index.ts, or that of one of its folders`
  }
  return undefined
}

/** Tests may reach what they test through the tools of `test/` and across layers; so may their fixtures, downwards. */
const isProduct = (path) => /\.tsx?$/.test(path) && !/(\.test|-fixture)\.tsx?$/.test(path)
const isFixture = (path) => /-fixture\.tsx?$/.test(path)

/** Files from the root of the repository, with slashes, and their text. */
function filesThat(isWanted, folders = SOURCES) {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter(isWanted)
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  )
}

const importsIn = (files) =>
  files.flatMap(({ path, text }) => importsOf(text).map((specifier) => ({ path, specifier })))

/** Between files of the repository. */
const relativeImports = (imports) =>
  imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ path, specifier }) => [path, posix.join(posix.dirname(path), specifier)])

/** Fixtures that import each other, or lead from a domain up to the gateway. */
function wrongFixtures() {
  const imports = relativeImports(importsIn(filesThat(isFixture)))
  const upwards = imports.filter(([from, to]) => placeOf(from).layer === 'domains' && placeOf(to).layer === 'gateway')
  return [
    ...upwards.map(([from, to]) => `${from} imports ${to}: a domain may not import the gateway`),
    ...importCircles(imports.filter(([, to]) => isFixture(to)).map(([from, to]) => [flat(from), flat(to)])),
  ]
}
/** Fixtures of one folder may need those of another that needs its others: files count, not folders. */
const flat = (path) => path.replaceAll('/', ':')

function check() {
  const files = filesThat(isProduct)
  const imports = importsIn(files)
  const wrong = imports.flatMap(({ path, specifier }) => {
    const why = refusal(path, specifier)
    return why ? [`${path} imports '${specifier}': ${why}`] : []
  })
  wrong.push(...importCircles(relativeImports(imports)), ...wrongFixtures())
  const server = files.filter(({ path }) => path.startsWith('apps/server/src/'))
  const migrations = readdirSync(MIGRATIONS).map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'))
  const known = ownership(server, migrations.flatMap(namesInMigrations))
  wrong.push(...server.flatMap((file) => foreignSql(file, known)), ...describedTwice(server))
  wrong.push(...filesThat((path) => path.endsWith('.ts'), WITH_SQL).flatMap(librarySql))
  wrong.push(...crowdedFolders(files.map(({ path }) => path)), ...wideEntries(files))
  for (const line of wrong) console.error(line)
  console.log(
    wrong.length
      ? `${wrong.length} things go the wrong way`
      : `imports and SQL of ${files.length} files go the right way`,
  )
  return wrong.length === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = check() ? 0 : 1
