import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The file of `sallyport-admin`: beside the server where that is bundled, else its source. */
export function adminProgram(): string {
  const bundled = join(dirname(process.argv[1] ?? ''), 'admin.js')
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('./admin/main.ts', import.meta.url))
}
