import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { Program } from '../kinds/terminal/streams.ts'
import type { FileAction } from './file-rights.ts'

/** A file transfer that a program on the machine carries out. */
export interface CommandTransfer {
  operate: 'Upload' | 'Download'
  /** As it stands in the command; empty where it names none. */
  path: string
  /** Every one of them must be granted. */
  needs: readonly FileAction[]
}

/** What may stand before a program and changes nothing about what it does. */
const PREFIX = /^(?:\w+=.*|sudo|env|nice|ionice|nohup|command|exec|time)$/
const OPTION = /^-/
const PROGRAMS: ReadonlySet<string> = new Set(['scp', 'rsync', 'sftp-server', 'internal-sftp'])

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * Recognises a command by which stock clients move files: the server side of the old scp, of rsync,
 * and an SFTP server. Undefined for everything else: what somebody types into a shell is not looked
 * at, so this keeps honest tools to their rights, and the session's recording the others.
 */
export function transferOf(command: string): CommandTransfer | undefined {
  const words = wordsOf(command)
  // `sudo -u root rsync …`: options of what stands before may have words of their own.
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

/** `scp -r -t -- /path`: t takes, f gives; undocumented, but the same in every version. */
function ofScp(given: readonly string[]): CommandTransfer | undefined {
  const { options, paths } = split(given)
  const letters = options.filter((option) => /^-[^-]/.test(option)).join('')
  const way = letters.includes('t') ? UPLOAD : letters.includes('f') ? DOWNLOAD : undefined
  return way && { ...way, path: paths.join(' ') }
}

/** `rsync --server --sender -logDtpr . /path`: the sender gives. */
function ofRsync(given: readonly string[]): CommandTransfer | undefined {
  const { options, paths } = split(given)
  if (!options.includes('--server')) return undefined
  const [, ...named] = paths // the first is always a dot
  const way = options.includes('--sender') ? DOWNLOAD : UPLOAD
  // Files that were taken away at the giving side are removed there.
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

/**
 * The right that a program needs and that is not among the granted ones (`mask`, permission bits).
 */
export function missingRight({ command }: Program, mask: number): FileAction | undefined {
  return command === undefined ? undefined : transferOf(command)?.needs.find((action) => !(mask & ACTION_BITS[action]))
}

/** Words as a shell reads them: quotes and backslashes taken off. */
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
