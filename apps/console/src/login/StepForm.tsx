import { type FormEvent, type ReactNode, useState } from 'react'
import { Refusal } from './Refusal.tsx'
import { refusalText } from './refusal-text.ts'

interface StepFormProps {
  /** Asks the server; returns the address of the next page, or nothing to stay on this one. */
  onSubmit: () => Promise<string | undefined>
  /** After a refusal: takes back what will not be right a second time. */
  onRefused: () => void
  /** Id of the box that has the keyboard again then. */
  focus: string
  refusalOf?: (error: unknown) => string
  /** Text of the button. */
  button: string
  isReady: boolean
  children: ReactNode
}

/**
 * The form of a page with one thing to do: what was refused is above it, and it is sent once at
 * a time.
 */
export function StepForm({
  onSubmit,
  onRefused,
  focus,
  refusalOf = refusalText,
  button,
  isReady,
  children,
}: StepFormProps) {
  const [refusal, setRefusal] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal('')
    try {
      const next = await onSubmit()
      // The page is left: until then nothing more can be sent.
      if (next !== undefined) return location.assign(next)
    } catch (error) {
      onRefused()
      setRefusal(refusalOf(error))
      document.getElementById(focus)?.focus()
    }
    setBusy(false)
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Refusal text={refusal} />
      {children}
      <button type="submit" className="primary" disabled={busy || !isReady}>
        {button}
      </button>
    </form>
  )
}
