/** Names in the folder of a desktop: no part of a path is anything but a name. */

const MAX_NAME = 255
const MAX_PATH = 1024
const MAX_DEPTH = 16
/** What stands in no name of Windows ([MS-FSCC] 2.1.5.2), what nobody sees, and halves of characters. */
const UNFIT = /[\p{Cc}\p{Cs}<>:"/\\|?*]/gu
/** What a machine may not name a file either; xrdp's takes every other character. */
const NO_NAME = /[\p{Cc}\p{Cs}]/u
/** Windows takes these for devices, with every ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** How a file of a person is called there, as every machine takes it; undefined when nothing is left of its name. */
export function fitName(name: string): string | undefined {
  const plain = name
    .normalize()
    .replace(UNFIT, '_')
    .replace(/[. ]+$/, '')
    .trimStart()
  if (!plain || plain.length > MAX_NAME) return undefined
  return DEVICE.test(plain) ? fitName(`_${plain}`) : plain
}

/** A path as a machine says it, from the folder on; undefined for one that can't be. The folder itself is ''. */
export function pathOf(said: string): string | undefined {
  const parts = said.split(/[\\/]/).filter(Boolean)
  const isFit = parts.every((part) => part.length <= MAX_NAME && part !== '.' && part !== '..' && !NO_NAME.test(part))
  const path = parts.join('/')
  return isFit && !isTooLong(path) ? path : undefined
}

/** Whether no file can lie there, so long or deep is the path. */
export const isTooLong = (path: string): boolean => path.length > MAX_PATH || path.split('/').length > MAX_DEPTH

/** `name (2).txt` and so on: the first that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const at = name.lastIndexOf('.')
  const [base, ending] = at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
  for (let n = 1; ; n++) {
    const tail = n === 1 ? ending : ` (${n})${ending}`
    const free = base.slice(0, MAX_NAME - tail.length) + tail
    if (!isTaken(free)) return free
  }
}

/** The path of the folder that holds it. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
