import { vi } from 'vitest'
import { ResourceForm } from '../generic/form/ResourceForm.tsx'
import { formGroups } from '../generic/view/form-groups.ts'
import type { FormFieldView, FormValues, FormView } from '../generic/view/form-view.ts'
import type { RemoteField } from '../generic/view/metadata.ts'
import { show } from './harness.tsx'

interface FormOptions {
  initial?: FormValues
  mode?: 'create' | 'update'
  view?: Pick<FormView, 'toBody'>
  save?: (body: unknown, again: boolean) => Promise<void>
  saveAndContinue?: boolean
}

/** A field of the tests' own, as metadata would have it. */
export const field = (
  name: string,
  remote: Partial<RemoteField> = {},
  view: Partial<FormFieldView> = {},
): FormFieldView => ({
  name,
  local: { type: 'string', label: name, ...remote },
  ...view,
})

/** Shows a form of these fields and keeps what it sends. */
export function showForm(
  fields: readonly FormFieldView[],
  { mode = 'create', initial = {}, view = {}, save, ...rest }: FormOptions = {},
) {
  const sent = vi.fn(save ?? (async (_body: unknown) => {}))
  show(
    <ResourceForm
      groups={formGroups({ groups: [{ title: '', fields }] }, {})}
      initial={initial}
      context={{ mode, row: undefined, query: new URLSearchParams() }}
      view={view}
      save={sent}
      {...rest}
    />,
    '/',
    '/',
  )
  return sent
}
