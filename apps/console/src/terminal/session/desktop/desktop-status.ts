/** What the gateway has said of a desktop or a workbench, besides what is shown in it. */

export interface Status {
  /** There is a picture. */
  isShown: boolean
  /** What is being done, until there is one. */
  progress: string
  /** What has to be confirmed by others, while they are waited for. */
  waiting: string
  question: { text: string; echo: boolean } | undefined
  notice: string | undefined
  /** Nothing follows that notice. */
  isLast: boolean
  isLocked: boolean
  /** The machine's clipboard, as far as it may be taken. */
  copied: string
  /** The keys by which the gateway pastes what the machine has no keys for; undefined: there is no choice. */
  pasteKeys: string | undefined
  /** How often the gateway has told that files are there, or others; 0: this desktop has none. */
  filesVersion: number
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
}

/** The status after a message; any other message leaves it as it is. */
export function statusAfter(status: Status, type: string, data: unknown): Status {
  const said = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  const text = typeof said.text === 'string' ? said.text : ''
  switch (type.replace(/^(?:DESKTOP|WORKBENCH)_/, '')) {
    case 'START':
      return {
        ...status,
        isShown: true,
        progress: '',
        waiting: '',
        question: undefined,
        isLocked: said.locked === true,
        pasteKeys: typeof said.paste_keys === 'string' ? said.paste_keys : undefined,
      }
    case 'PROGRESS':
      return { ...status, progress: typeof data === 'string' ? data : '' }
    case 'WAIT':
      return { ...status, waiting: text }
    case 'ASK':
      return { ...status, question: { text, echo: said.echo === true } }
    case 'NOTICE':
      return { ...status, notice: text, isLast: said.urgency === 'last' }
    case 'CLIPBOARD':
      return { ...status, copied: text }
    case 'FILES':
      return { ...status, filesVersion: status.filesVersion + 1 }
    case 'TERMINAL_LOCK':
      return { ...status, isLocked: said.locked === true }
    default:
      return status
  }
}
