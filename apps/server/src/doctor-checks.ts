import { globSync } from 'node:fs'
import type { Check } from './kernel/doctor/check.ts'

/**
 * All checks: what each file that ends in `.check.ts` exports by default, one or several. A check
 * needs no entry in any list (docs/design/doctor.md). Throws for a file without such an export, and
 * where two have one name.
 */
export async function doctorChecks(): Promise<Check[]> {
  const paths = globSync('{kernel,domains,gateway}/**/*.check.ts', { cwd: import.meta.dirname })
  const checks: Check[] = []
  for (const path of paths.sort()) {
    const { default: given }: { default?: Check | readonly Check[] } = await import(/* @vite-ignore */ `./${path}`)
    if (!given) throw new Error(`${path} exports no check by default`)
    checks.push(...[given].flat())
  }
  const names = checks.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`two checks have the name ${twice}`)
  return checks
}
