import { type ResolveFnOutput, type ResolveHookContext, registerHooks } from 'node:module'

/**
 * Looks a package up once, not again for each file that imports it. Node reads a package's list of
 * exports at every import: with one of 180 kB, as drizzle-orm has, in 220 files that was a third of
 * the start. Modules that are imported after this one profit.
 */
const found = new Map<string, ResolveFnOutput>()

registerHooks({
  resolve(specifier, context, next) {
    const place = placeOf(specifier, context)
    if (place === undefined) return next(specifier, context)
    const key = `${place}\n${specifier}`
    const known = found.get(key) ?? { ...next(specifier, context), shortCircuit: true }
    found.set(key, known)
    return known
  },
})

/**
 * The workspace of the file that imports a package, since each may have its own version of it;
 * undefined for other imports, and those of packages.
 */
function placeOf(specifier: string, { parentURL = '', conditions }: ResolveHookContext): string | undefined {
  if (/^[./]|:/.test(specifier) || !conditions.includes('import')) return undefined
  return /^file:(?!.*\/node_modules\/).*?\/(?:apps|packages)\/[^/]+\//.exec(parentURL)?.[0]
}
