import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { Program } from '../kinds/terminal/streams.ts'
import type { FileAction } from './file-rights.ts'

/** A file transfer that a program on the machine carries out. */
export interface CommandTransfer {
  operate: 'Upload' | 'Download'
  /** As in the command; empty where it names none. */
  path: string
  /** All of these must be granted. */
  needs: readonly FileAction[]
}

/** Words that may precede a program without changing what it does. */
const PREFIX = /^(?:\w+=.*|sudo|env|nice|ionice|nohup|command|exec|time)$/
const OPTION = /^-/
const PROGRAMS: ReadonlySet<string> = new Set(['scp', 'rsync', 'sftp-server', 'internal-sftp'])

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * Recognizes a command by which standard clients move files: the server side of the old scp, of
 * rsync, and an SFTP server. Undefined for anything else. What somebody types into a shell is not
 * looked at: this holds well-behaved tools to their rights, and leaves the rest to the session's
 * recording.
 */
export function transferOf(command: string): CommandTransfer | undefined {
  const words = wordsOf(command)
  // `sudo -u root rsync …`: options of the preceding command may have arguments.
  const start = PREFIX.test(words[0] ?? '') ? words.findIndex((word) => PROGRAMS.has(baseName(word))) : 0
  const [program = '', ...given] = words.slice(Math.max(start, 0))
  switch (baseName(program)) {
    case 'scp':
      return ofScp(given)
    case 'rsync':
      return ofRsync(given)
    case 'sftp-server':
    case 'internal-sftp':
      return { operate: 'Upload', path: '', needs: ['upload_file', 'download_file'] }
    default:
      return undefined
  }
}

const UPLOAD = { operate: 'Upload', needs: ['upload_file'] } as const
const DOWNLOAD = { operate: 'Download', needs: ['download_file'] } as const

/** `scp -r -t -- /path`: t receives, f sends; undocumented, but the same in every version. */
function ofScp(given: readonly string[]): CommandTransfer | undefined {
  const { options, paths } = split(given)
  const letters = options.filter((option) => /^-[^-]/.test(option)).join('')
  const way = letters.includes('t') ? UPLOAD : letters.includes('f') ? DOWNLOAD : undefined
  return way && { ...way, path: paths.join(' ') }
}

/** `rsync --server --sender -logDtpr . /path`: the sender is the one that is read from. */
function ofRsync(given: readonly string[]): CommandTransfer | undefined {
  const { options, paths } = split(given)
  if (!options.includes('--server')) return undefined
  const [, ...named] = paths // the first is always a dot
  const way = options.includes('--sender') ? DOWNLOAD : UPLOAD
  // Files that were transferred are removed at the sending side.
  const needs: FileAction[] = options.includes('--remove-source-files')
    ? ['download_file', 'upload_file']
    : [...way.needs]
  return { ...way, needs, path: named.join(' ') }
}

function split(given: readonly string[]): { options: string[]; paths: string[] } {
  const end = given.indexOf('--')
  const before = end < 0 ? given : given.slice(0, end)
  return {
    options: before.filter((word) => OPTION.test(word)),
    paths: [...before.filter((word) => !OPTION.test(word)), ...(end < 0 ? [] : given.slice(end + 1))],
  }
}

/** A right that the program needs and that the granted ones (`mask`, permission bits) lack. */
export function missingRight({ command }: Program, mask: number): FileAction | undefined {
  return command === undefined
    ? undefined
    : transferOf(command.toString())?.needs.find((action) => !(mask & ACTION_BITS[action]))
}

/** Words as a shell reads them, without quotes and backslashes. */
function wordsOf(command: string): string[] {
  const words: string[] = []
  const word = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs
  for (const [text] of command.matchAll(word)) {
    words.push(
      text.replace(
        /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
        (_, escaped, single, double) => escaped ?? single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? '',
      ),
    )
  }
  return words
}
