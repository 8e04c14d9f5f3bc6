import { createContext, useContext } from 'react'
import type { FormValues } from '../view/form-view.ts'

export interface EditedForm {
  /**
   * The values of the form, saved or not; undefined when something is wrong with it, which it then
   * says under its fields.
   */
  validValues: () => FormValues | undefined
  /**
   * Does something with the body of the form besides saving it. Where something is wrong with it,
   * or the server refuses, the form says so as at a save.
   */
  attempt: (work: (body: unknown) => Promise<void>) => Promise<void>
}

/** The form around a button: filled in by ResourceForm. */
export const EditedFormContext = createContext<EditedForm>({
  validValues: () => undefined,
  attempt: async () => {},
})

/** The values of the form around a widget, as they are now: filled in by ResourceForm. */
export const FormValuesContext = createContext<FormValues>({})

export const useFormValues = (): FormValues => useContext(FormValuesContext)

export const useEditedForm = (): EditedForm => useContext(EditedFormContext)
