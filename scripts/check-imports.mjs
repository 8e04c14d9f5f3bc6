/**
 * Keeps the arrows of ARCHITECTURE.md: console → contract ← server; gateway → domains → kernel; a
 * domain reaches another only through its index.ts; the entries of a folder form no circle; SQL
 * names no table of another domain, only what its views.ts lists; and no folder holds more files
 * than a reader takes in at a glance. Prints what goes the wrong way and ends with 1.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { crowdedFolders } from './crowded-folders.mjs'
import { importCircles } from './import-circles.mjs'
import { foreignSql, namesInMigrations, ownership } from './sql-ownership.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const MIGRATIONS = join(ROOT, 'apps/server/migrations')
const SOURCES = ['packages/contract/src', 'apps/server/src', 'apps/console/src']

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

/** Where a file lives: which side, and on the server which layer and domain. */
function placeOf(path) {
  if (path.startsWith('packages/contract/')) return { side: 'contract' }
  if (path.startsWith('apps/console/')) return { side: 'console' }
  const [, layer, rest] = path.match(/^apps\/server\/src\/(kernel|domains|gateway)\/(.+)$/) ?? []
  // domains/index.ts lists the domains and belongs to server.ts, as does everything directly in
  // src/.
  const domain = layer === 'domains' && rest.includes('/') ? rest.split('/')[0] : undefined
  return {
    side: 'server',
    layer: layer === 'domains' && !domain ? 'start' : (layer ?? 'start'),
    domain,
    isIndex: rest === `${domain}/index.ts`,
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
    return source.side === 'contract' ? 'the contract imports nothing outside itself' : undefined
  }
  if (own) {
    const side = own
    if (side === source.side) return `inside ${side}, import by path`
    return side === 'contract' ? undefined : `${source.side} may import the contract only, not ${side}`
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
  if (target.layer === 'domains' && target.domain !== source.domain && !target.isIndex) {
    return `reach the domain ${target.domain} through its index.ts`
  }
  return undefined
}

/**
 * Tests and their fixtures may reach what they test through the tools of `test/` and across layers.
 */
function isProduct(path) {
  return /\.tsx?$/.test(path) && !/(\.test|-fixture)\.tsx?$/.test(path)
}

/** Product files from the root of the repository, with slashes, and their text. */
function productFiles() {
  return SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter(isProduct)
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  )
}

function check() {
  const files = productFiles()
  const imports = files.flatMap(({ path, text }) => importsOf(text).map((specifier) => ({ path, specifier })))
  const wrong = imports.flatMap(({ path, specifier }) => {
    const why = refusal(path, specifier)
    return why ? [`${path} imports '${specifier}': ${why}`] : []
  })
  const inside = imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ path, specifier }) => [path, posix.join(posix.dirname(path), specifier)])
  wrong.push(...importCircles(inside))
  const server = files.filter(({ path }) => path.startsWith('apps/server/src/'))
  const migrations = readdirSync(MIGRATIONS).map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'))
  const known = ownership(server, migrations.flatMap(namesInMigrations))
  wrong.push(...server.flatMap((file) => foreignSql(file, known)))
  wrong.push(...crowdedFolders(files.map(({ path }) => path)))
  for (const line of wrong) console.error(line)
  console.log(
    wrong.length
      ? `${wrong.length} things go the wrong way`
      : `imports and SQL of ${files.length} files go the right way`,
  )
  return wrong.length === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = check() ? 0 : 1
