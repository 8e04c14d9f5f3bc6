import { existsSync } from 'node:fs'
import { type ResolveFnOutput, type ResolveHookContext, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Looks a package up once, not again for each file that imports it, and asks once for each folder
 * what kind of code its files hold. Node reads a package's list of exports at every import from it
 * and at every import within it: with one of 180 kB, as drizzle-orm has, in 220 files of ours and
 * as many of its own, that was half of the start. Modules that are imported after this one profit.
 */
const found = new Map<string, ResolveFnOutput>()

/** By folder and ending: the nearest package.json decides for all such files of a folder. */
const formats = new Map<string, ResolveFnOutput['format']>()

registerHooks({
  resolve(specifier, context, next) {
    if (isFileBeside(specifier, context)) return resolveBeside(specifier, context, next)
    const place = placeOf(specifier, context)
    if (place === undefined) return next(specifier, context)
    const key = `${place}\n${specifier}`
    const known = found.get(key) ?? { ...next(specifier, context), shortCircuit: true }
    found.set(key, known)
    return known
  },
})

type Next = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput

const isFileBeside = (specifier: string, { parentURL, conditions }: ResolveHookContext) =>
  /^\.\.?\/.*\.(ts|js|mjs)$/.test(specifier) && conditions.includes('import') && parentURL?.startsWith('file:')

function resolveBeside(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  const { href: url } = new URL(specifier, context.parentURL)
  const kind = url.replace(/[^/]*(?=\.[^.]+$)/, '')
  // Node says best of a file that is not there who asked for it.
  if (formats.has(kind) && existsSync(fileURLToPath(url))) return { url, format: formats.get(kind), shortCircuit: true }
  const known = next(specifier, context)
  formats.set(kind, known.format)
  return known
}

/**
 * The workspace of the file that imports a package, since each may have its own version of it;
 * undefined for other imports, and those of packages.
 */
function placeOf(specifier: string, { parentURL = '', conditions }: ResolveHookContext): string | undefined {
  if (/^[./]|:/.test(specifier) || !conditions.includes('import')) return undefined
  return /^file:(?!.*\/node_modules\/).*?\/(?:apps|packages)\/[^/]+\//.exec(parentURL)?.[0]
}
