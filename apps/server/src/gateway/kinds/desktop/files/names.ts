import { portableName } from '../../../../kernel/files/portable-name.ts'

/** Names in the folder of a desktop: no part of a path is anything but a name. */

const MAX_NAME = 255
const MAX_PATH = 1024
const MAX_DEPTH = 16
/** Characters that no file of a machine may have in its name either; xrdp accepts all others. */
const NO_NAME = /[\p{Cc}\p{Cs}]/u
/** How a file of a person is called there, as every machine takes it; undefined when nothing is left of its name. */
export function fitName(name: string): string | undefined {
  const plain = name
    .normalize()
    .replace(/[. ]+$/, '')
    .trimStart()
  const fit = plain && portableName(plain)
  return fit && fit.length <= MAX_NAME ? fit : undefined
}

/** A path as a machine says it, from the folder on; undefined for one that can't be. The folder itself is ''. */
export function pathOf(given: string): string | undefined {
  const parts = given.split(/[\\/]/).filter(Boolean)
  const isFit = parts.every((part) => part.length <= MAX_NAME && part !== '.' && part !== '..' && !NO_NAME.test(part))
  const path = parts.join('/')
  return isFit && !isTooLong(path) ? path : undefined
}

/** Whether no file can lie there, so long or deep is the path. */
export const isTooLong = (path: string): boolean => path.length > MAX_PATH || path.split('/').length > MAX_DEPTH

/** The path of the folder that holds it. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
