import { Form } from 'antd'
import { useRef, useState } from 'react'
import { ApiError } from '../../lib/api.ts'
import { bodyOf, type FormField, type FormFields, isVisible } from '../view/form-groups.ts'
import type { FormContext, FormValues, FormView } from '../view/form-view.ts'
import { goToFirst, type Path, placeErrors } from './invalid-fields.ts'
import { useShapedGroups } from './shaped-fields.ts'

export interface SendingOptions {
  groups: readonly FormFields[]
  initial: FormValues
  context: FormContext
  view: Pick<FormView, 'toBody'>
  /**
   * Sends the body; a failed 400 is put on the fields. `again`: the person wants to add another.
   * After `leaving` the form sends nothing more.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most forms have nothing to say
  save: (body: unknown, again: boolean) => Promise<void | 'leaving'>
  /**
   * Fields that are hidden now are sent as they were loaded: for a PUT, which would reset them
   * (spec notes 1.10).
   */
  keepLoaded?: boolean
  /** List address whose metadata describes objects by what is chosen in the form. */
  path?: string
}

/**
 * The values of a form and the way they are sent: validated first, once however often it is
 * clicked, with what a 400 says under the fields.
 * @param onSent told when the values are stored
 */
export function useSending(options: SendingOptions, onSent: () => void) {
  const { initial, context, view, save, keepLoaded = false, path } = options
  const [form] = Form.useForm<FormValues>()
  const [saving, setSaving] = useState<'once' | 'again'>()
  // Beside the state, which a second click within the same moment would not see yet.
  const busy = useRef(false)
  const watched = Form.useWatch([], { form, preserve: true }) as FormValues | undefined
  const values = { ...initial, ...watched }
  const groups = useShapedGroups(options.groups, values, context, path)
  const fields = groups.flatMap((group) => group.fields)
  const shown = fields.filter((field: FormField) => isVisible(field, values, context))
  const goToInvalid = (failure: unknown) => {
    const { errorFields = [] } = failure as { errorFields?: { name: Path }[] }
    goToFirst(
      form,
      errorFields.map(({ name }) => name),
      shown,
    )
  }
  /** True while the page is being left. */
  const send = async (again: boolean): Promise<boolean> => {
    try {
      await form.validateFields()
    } catch (failure) {
      goToInvalid(failure)
      return false
    }
    const now: FormValues = { ...initial, ...(form.getFieldsValue(true) as FormValues) }
    const body = bodyOf(fields, now, context, keepLoaded ? initial : undefined)
    setSaving(again ? 'again' : 'once')
    let leaving = false
    try {
      leaving = (await save(view.toBody ? view.toBody(body, context) : body, again)) === 'leaving'
      onSent()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      placeErrors(form, error, shown)
    } finally {
      if (!leaving) setSaving(undefined)
    }
    return leaving
  }
  const submit = async (again: boolean) => {
    if (busy.current) return
    busy.current = true
    let leaving = false
    try {
      leaving = await send(again)
    } finally {
      busy.current = leaving
    }
  }
  return {
    form,
    /** With the fields of the types that are chosen. */
    groups,
    values,
    /** Fields that are visible with these values. */
    shown,
    saving,
    submit,
    goToInvalid,
  }
}
