/**
 * All definitions, found by reading the folder, for tests and tools: there is no list to maintain.
 * The server knows those that are mounted, the console those that have pages.
 */
import { readdirSync } from 'node:fs'
import type { ResourceDefinition } from '../define.ts'

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/(\.test|-fixture)\.ts$/.test(path))
  .sort()
const modules: readonly object[] = await Promise.all(
  files.map((path) => import(/* @vite-ignore */ `${import.meta.dirname}/${path}`)),
)

export const resources: readonly ResourceDefinition[] = [
  ...new Set(modules.flatMap((exported) => Object.values(exported)).filter(isDefinition)),
]

function isDefinition(value: unknown): value is ResourceDefinition {
  return typeof value === 'object' && value !== null && 'fields' in value && 'operations' in value && 'path' in value
}
