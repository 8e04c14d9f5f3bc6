import { useMemo, useState } from 'react'
import { showError } from '../../design/dialogs/feedback.tsx'
import { LazyForm } from '../../generic/form/lazy-form.ts'
import { formGroups } from '../../generic/view/form-groups.ts'
import type { FormContext, FormGroup, FormValues } from '../../generic/view/form-view.ts'
import type { RemoteField } from '../../generic/view/metadata.ts'
import { ApiError, errorText, type Row } from '../../lib/api.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'

interface LocalFormProps {
  groups: readonly FormGroup[]
  /** Metadata of the fields that are not declared by the page itself. */
  remote?: Readonly<Record<string, RemoteField>>
  initial?: FormValues
  row?: Row
  submitText?: string
  /** `leave`: to an address that is loaded again, now that all is saved. */
  save: (values: FormValues, leave: (address: string) => void) => Promise<void>
}

/**
 * A form in a tab whose call is not a resource's; it starts over after it was saved, and asks
 * before unsaved input is lost.
 */
export function LocalForm({ groups, remote = {}, initial = {}, row, submitText, save }: LocalFormProps) {
  const [round, setRound] = useState(0)
  const fields = useMemo(() => formGroups({ groups }, remote), [groups, remote])
  const { setDirty } = useLeaveQuestion()
  const leave = (address: string) => {
    setDirty(false)
    location.assign(address)
  }
  const [context] = useState<FormContext>(() => ({ mode: 'create', row, query: new URLSearchParams() }))
  return (
    <LazyForm
      key={round}
      groups={fields}
      initial={initial}
      context={context}
      view={{}}
      onDirty={setDirty}
      {...(submitText ? { submitText } : {})}
      save={async (body) => {
        try {
          await save(body as FormValues, leave)
        } catch (error) {
          if (!(error instanceof ApiError && error.fields)) showError(errorText(error))
          throw error
        }
        setRound((now) => now + 1)
      }}
    />
  )
}
