import { useEffect, useState } from 'react'
import { showError } from '../../design/dialogs/feedback.tsx'
import { lazily } from '../../design/lazily.tsx'
import { ApiError, api, errorText, MFA_PATH } from '../../lib/api.ts'

/** Few pages need it, and it brings passkeys and codes along. */
const ProveDialog = lazily(() => import('./ProveDialog.tsx').then((m) => m.ProveDialog))

let open: ((answer: (proven: boolean) => void) => void) | undefined
/** Several calls may be refused together: one dialog is for all of them. */
let asked: Promise<boolean> | undefined

/**
 * Opens the dialog; true when the person has proven the second factor, false when they closed it
 * (docs/rules/console.md#mfa_verify).
 */
export function askForMfa(): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => (open ? open(resolve) : resolve(false))).finally(() => {
    asked = undefined
  })
  return asked
}

/**
 * Before something that shows secrets: a silent call tells whether the second factor is still
 * fresh, else the dialog comes (B4.07). False, too, when the server cannot tell, which is said.
 */
export async function proveMfa(): Promise<boolean> {
  try {
    await api.get(MFA_PATH, { quiet: true })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'mfa_verify_required') return askForMfa()
    showError(errorText(error))
    return false
  }
}

/** A call that the server may want a fresh second factor for: once more, when the person has proven it. */
export async function behindMfa<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const isWanted = error instanceof ApiError && error.code === 'mfa_verify_required'
    if (!isWanted || !(await askForMfa())) throw error
    return call()
  }
}

/** Draws the dialog for `askForMfa`; rendered once. */
export function MfaVerifyHost() {
  const [answer, setAnswer] = useState<(proven: boolean) => void>()
  useEffect(() => {
    let pending: typeof answer
    open = (next) => {
      pending = next
      setAnswer(() => next)
    }
    return () => {
      open = undefined
      // Nobody can answer any more, and the next caller would wait for it.
      pending?.(false)
    }
  }, [])
  if (!answer) return null
  const finish = (proven: boolean) => {
    setAnswer(undefined)
    answer(proven)
  }
  return <ProveDialog onProven={() => finish(true)} onCancel={() => finish(false)} />
}
