import { AskedChange } from '../change-preview/AskedChange.tsx'
import type { ChangeCall } from '../change-preview/change.ts'
import type { Sending } from './use-sending.ts'

interface FormChangeProps {
  sending: Sending
  change: (body: unknown) => ChangeCall
}

/** What saving the form would change about rights. */
export function FormChange({ sending, change }: FormChangeProps) {
  const call = () => {
    const body = sending.body()
    return body === undefined ? undefined : change(body)
  }
  return <AskedChange call={call} />
}
