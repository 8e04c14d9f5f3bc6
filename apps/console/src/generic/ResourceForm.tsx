import type { ReactNode } from 'react'
import type { FormContext, FormValues, FormView } from './define-pages.ts'
import type { FormFields } from './form-groups.ts'
import { lazily } from './lazily.tsx'

export interface ResourceFormProps {
  groups: readonly FormFields[]
  initial: FormValues
  context: FormContext
  view: Pick<FormView, 'toBody'>
  /** Sends the body; a failed 400 is put on the fields. `again`: the person wants to add another. After `leaving` the form sends nothing more. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most forms have nothing to say
  save: (body: unknown, again: boolean) => Promise<void | 'leaving'>
  saveAndContinue?: boolean
  /** Fields that are hidden now are sent as they were loaded: for a PUT, which would reset them (spec notes 1.10). */
  keepLoaded?: boolean
  /** Puts the cursor into the first field. */
  focusFirst?: boolean
  onDirty?: (dirty: boolean) => void
  /** Beside the submit button. */
  extraButtons?: ReactNode
  submitText?: string
  /** No Reset, where there is no single row to go back to. */
  submitOnly?: boolean
}

/** A form of groups of fields, for dialogs and tabs; pages of their own use FormPage. */
export const ResourceForm = lazily<ResourceFormProps>(() => import('./ResourceFormBody.tsx').then((m) => m.ResourceFormBody))
