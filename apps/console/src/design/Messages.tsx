import { CircleAlertIcon, CircleCheckIcon } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'

interface Message {
  key: number
  tone: 'good' | 'danger'
  content: ReactNode
}

let shown: readonly Message[] = []
let last = 0
const listeners = new Set<() => void>()
function change(next: readonly Message[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows a line for some seconds; the same text twice is one message, which stays longer. */
export function showMessage(tone: Message['tone'], content: ReactNode, seconds: number): void {
  const message = { key: ++last, tone, content }
  change([...shown.filter((one) => one.content !== content), message])
  setTimeout(() => change(shown.filter((one) => one !== message)), seconds * 1000)
}

/** Only for tests: as in another page load. */
export function forgetMessages(): void {
  change([])
}

/** Where messages stand: above everything, in the middle of the top; render it once. */
export function Messages() {
  const messages = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return (
    <div className="messages">
      {messages.map(({ key, tone, content }) => (
        <div key={key} className="message" data-tone={tone} role={tone === 'danger' ? 'alert' : 'status'}>
          {tone === 'danger' ? <CircleAlertIcon /> : <CircleCheckIcon />}
          <span>{content}</span>
        </div>
      ))}
    </div>
  )
}
