/**
 * Paths of the granted tree: absolute, parts separated by `/`; a first part `@<asset id>` leads
 * straight to a machine.
 */

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const joined = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)
export const machinePath = (assetId: string): string => `/@${assetId}`
/** The asset that a path names, undefined for one that goes through the nodes. */
export const assetOf = (path: string): string | undefined => /^\/@([^/]+)/.exec(path)?.[1]
/** Whether a path is a folder or lies in it. */
export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

export interface Crumb {
  /** Its name in the path; empty for the top. */
  name: string
  path: string
}

/** The folders from the top to a path. */
export function crumbsOf(path: string): Crumb[] {
  const parts = path.split('/').filter(Boolean)
  return [{ name: '', path: '/' }, ...parts.map((name, at) => ({ name, path: `/${parts.slice(0, at + 1).join('/')}` }))]
}

/**
 * `report.txt` as `report (1).txt`, with the number `count`; the dot of a hidden name begins no
 * ending.
 */
export function numbered(name: string, count: number): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)} (${count})${name.slice(dot)}` : `${name} (${count})`
}

/** Why a machine cannot hold a file of this name, as a text to translate. */
export function nameProblem(name: string): 'empty' | 'slash' | 'reserved' | 'long' | undefined {
  if (name.trim() === '') return 'empty'
  if (/[/\0]/.test(name)) return 'slash'
  if (name === '.' || name === '..') return 'reserved'
  return new TextEncoder().encode(name).length > 255 ? 'long' : undefined
}
