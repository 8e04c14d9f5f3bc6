import { CircleAlertIcon, CircleCheckIcon } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { sharedValue } from '../../lib/hooks/shared-value.ts'
import { t } from '../../lib/i18n.ts'
import { raise } from '../popups/Popup.tsx'

interface Message {
  key: number
  tone: 'good' | 'danger'
  content: ReactNode
  /** Takes back what the message tells of. */
  onUndo?: (() => void) | undefined
}

const shown = sharedValue<readonly Message[]>([])
let last = 0

const SECONDS: Readonly<Record<Message['tone'], number>> = { good: 3, danger: 5 }
/** What can be taken back is to be read first, and reached. */
const UNDO_SECONDS = 10

/**
 * Shows a line for some seconds; the same text twice is one message, which stays longer. It stays
 * while its button has the focus or the pointer.
 */
export function showMessage(tone: Message['tone'], content: ReactNode, onUndo?: () => void): void {
  const message: Message = { key: ++last, tone, content, onUndo }
  shown.set([...shown.get().filter((one) => one.content !== content), message])
  const seconds = onUndo ? UNDO_SECONDS : SECONDS[tone]
  const leave = () => {
    if (document.querySelector(`[data-message="${message.key}"]:is(:hover, :focus-within)`))
      setTimeout(leave, SECONDS.good * 1000)
    else remove(message)
  }
  setTimeout(onUndo ? leave : () => remove(message), seconds * 1000)
}

const remove = (message: Message) => shown.set(shown.get().filter((one) => one !== message))

/** Takes a message away before its time, where its text is said elsewhere. */
export function takeMessage(content: ReactNode): void {
  shown.set(shown.get().filter((one) => one.content !== content))
}

/** Only for tests: as in another page load. */
export function forgetMessages(): void {
  shown.set([])
}

/** Where messages stand: above everything, in the middle of the top; render it once. */
export function Messages() {
  const messages = shown.use()
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // Again, over what has come to the top since the last one, such as what fills the screen.
    if (box.current?.matches('[popover]')) box.current.hidePopover()
    if (box.current && messages.length > 0) raise(box.current)
  }, [messages])
  return (
    // A dialog hides everything else from screen readers, but for what announces itself.
    <div ref={box} className="messages" aria-live="off">
      {messages.map((message) => {
        const { key, tone, content, onUndo } = message
        return (
          <div
            key={key}
            className="message"
            data-message={key}
            data-tone={tone}
            role={tone === 'danger' ? 'alert' : 'status'}
          >
            {tone === 'danger' ? <CircleAlertIcon /> : <CircleCheckIcon />}
            <span>{content}</span>
            {onUndo && (
              <button
                type="button"
                onClick={() => {
                  remove(message)
                  onUndo()
                }}
              >
                {t('Undo')}
              </button>
            )}
          </div>
        )
      })}
    </div>
  )
}
