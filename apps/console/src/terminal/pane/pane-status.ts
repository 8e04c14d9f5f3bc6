/** The gateway's messages about a desktop or a workbench, besides its content. */
import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'

export interface Status {
  /** There is a picture. */
  isShown: boolean
  /** The current step, until there is a session. */
  progress: string
  /** The work that others must confirm, while they are waited for. */
  waiting: string
  question: { text: string; echo: boolean } | undefined
  notice: string | undefined
  /** Nothing follows that notice. */
  isLast: boolean
  isLocked: boolean
  /** The machine's clipboard, as far as it may be taken. */
  copied: string
  /** The keys by which the gateway pastes what the machine has no keys for; undefined: there is no choice. */
  pasteKeys: PasteKeys | undefined
  /** How often the gateway has told that files are there, or others; 0: this desktop has none. */
  filesVersion: number
  /** People who watch: `Name(username)` of each. */
  watchers: readonly string[]
}

export const FIRST_STATUS: Status = {
  isShown: false,
  progress: '',
  waiting: '',
  question: undefined,
  notice: undefined,
  isLast: false,
  isLocked: false,
  copied: '',
  pasteKeys: undefined,
  filesVersion: 0,
  watchers: [],
}

type Change = (next: (status: Status) => Status) => void

/** News of every desktop and workbench, by subject. */
export const statusHandlers = (change: Change) => ({
  start: ({ locked = false, paste_keys }: { locked?: boolean | undefined; paste_keys?: PasteKeys | undefined }) =>
    change((status) => ({
      ...status,
      isShown: true,
      progress: '',
      waiting: '',
      question: undefined,
      isLocked: locked,
      pasteKeys: paste_keys,
    })),
  progress: (progress: string) => change((status) => ({ ...status, progress })),
  wait: ({ text }: { text: string }) => change((status) => ({ ...status, waiting: text })),
  ask: ({ text, echo = false }: { text: string; echo?: boolean | undefined }) =>
    change((status) => ({ ...status, question: { text, echo } })),
  notice: ({ text, urgency }: { text: string; urgency?: string | undefined }) =>
    change((status) => ({ ...status, notice: text, isLast: urgency === 'last' })),
  watchers: ({ users: watchers }: { users: readonly string[] }) => change((status) => ({ ...status, watchers })),
  lock: ({ locked }: { locked: boolean }) => change((status) => ({ ...status, isLocked: locked })),
})
