import { CircleAlertIcon, CircleCheckIcon } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { sharedValue } from '../../lib/hooks/shared-value.ts'
import { raise } from '../popups/Popup.tsx'

interface Message {
  key: number
  tone: 'good' | 'danger'
  content: ReactNode
}

const shown = sharedValue<readonly Message[]>([])
let last = 0

const SECONDS: Readonly<Record<Message['tone'], number>> = { good: 3, danger: 5 }

/** Shows a line for some seconds; the same text twice is one message, which stays longer. */
export function showMessage(tone: Message['tone'], content: ReactNode): void {
  const message = { key: ++last, tone, content }
  shown.set([...shown.get().filter((one) => one.content !== content), message])
  setTimeout(() => shown.set(shown.get().filter((one) => one !== message)), SECONDS[tone] * 1000)
}

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
      {messages.map(({ key, tone, content }) => (
        <div key={key} className="message" data-tone={tone} role={tone === 'danger' ? 'alert' : 'status'}>
          {tone === 'danger' ? <CircleAlertIcon /> : <CircleCheckIcon />}
          <span>{content}</span>
        </div>
      ))}
    </div>
  )
}
