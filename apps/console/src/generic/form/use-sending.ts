import { type RefObject, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { showError } from '../../design/dialogs/feedback.tsx'
import { ApiError, errorText } from '../../lib/api.ts'
import { bodyOf, type FormField, type FormFields, isVisible } from '../view/form-groups.ts'
import type { FormContext, FormValues, FormView } from '../view/form-view.ts'
import type { EditedForm } from './edited-form.ts'
import { formFaults } from './form-faults.ts'
import { type Fault, FormStore, fieldId, type Path } from './form-store.ts'
import { goToField, refusedFields } from './invalid-fields.ts'
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
   * (B4.09).
   */
  keepLoaded?: boolean
  /** Values that were typed before, over those the form begins with. */
  kept?: FormValues | undefined
  /** List address whose metadata describes objects by what is chosen in the form. */
  path?: string
}

/** A form while it is edited. */
export interface Sending extends EditedForm {
  /** What would be sent now; undefined while something is wrong with it. */
  body: () => unknown
  store: FormStore
  /** With the fields of the types that are chosen. */
  groups: readonly FormFields[]
  /** Which fields a chosen type has is still asked for. */
  isWaiting: boolean
  values: FormValues
  /** Fields that are visible with these values. */
  shown: readonly FormField[]
  faults: ReadonlyMap<string, Fault>
  /** Widgets start over with each. */
  round: number
  saving: 'once' | 'again' | undefined
  submit: (again: boolean) => Promise<void>
  /** Looks at the field, and again at all that were wrong: this one may have mended them. */
  check: (path: Path) => void
  goTo: (path: Path) => void
}

/**
 * The values of a form and the way they are sent: looked at first, once however often it is
 * clicked, with what a 400 says under the fields.
 * @param element the form on the page, in which the first field with a fault is found
 * @param onSent told when the values are stored
 */
export function useSending(
  options: SendingOptions,
  element: RefObject<HTMLFormElement | null>,
  onSent: () => void,
): Sending {
  const { initial, context, view, save, keepLoaded = false, kept, path } = options
  const [store] = useState(() => new FormStore(kept ? { ...initial, ...kept } : initial))
  const [saving, setSaving] = useState<'once' | 'again'>()
  const { values: edited, faults, round } = useSyncExternalStore(store.subscribe, store.state)
  const now = (): FormValues => ({ ...initial, ...store.state().values })
  const values = useMemo(() => ({ ...initial, ...edited }), [initial, edited])
  const { groups, isWaiting } = useShapedGroups(options.groups, values, context, path)
  const fields = groups.flatMap((group) => group.fields)
  const shown = fields.filter((field) => isVisible(field, values, context))
  const goTo = (to: Path) => goToField(element.current, to)
  const point = (found: readonly Fault[]) => {
    // Folded groups open first: only then is there a field to go to.
    flushSync(() => store.setFaults(found))
    if (found[0]) goTo(found[0].path)
  }
  const bodyNow = () => {
    const body = bodyOf(fields, now(), context, keepLoaded ? initial : undefined)
    return view.toBody ? view.toBody(body, context) : body
  }
  const body = () => (formFaults(shown, now(), context).length > 0 ? undefined : bodyNow())
  /** Undefined where something is wrong with the values, which their fields say then. */
  const validBody = () => {
    const wrong = formFaults(shown, now(), context)
    point(wrong)
    return wrong.length > 0 ? undefined : { body: bodyNow() }
  }
  const pointAt = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    point(refusedFields(error, shown))
  }
  const send = async (again: boolean): Promise<'leaving' | undefined> => {
    const valid = validBody()
    if (!valid) return undefined
    setSaving(again ? 'again' : 'once')
    try {
      const after = await save(valid.body, again)
      onSent()
      // The page goes: the form stays busy until then.
      if (after === 'leaving') return after
    } catch (error) {
      pointAt(error)
    }
    setSaving(undefined)
    return undefined
  }
  const submit = useOnce(send)
  const attempt = async (work: (body: unknown) => Promise<void>) => {
    const valid = validBody()
    if (!valid) return
    await work(valid.body).catch((error: unknown) => {
      if (error instanceof ApiError && !error.fields && error.status !== 401) showError(errorText(error))
      pointAt(error)
    })
  }
  const check = (at: Path) => {
    const wrong = new Map(formFaults(shown, now(), context).map((fault) => [fieldId(fault.path), fault.text]))
    for (const fault of store.state().faults.values())
      if (!fault.refused) store.setFault(fault.path, wrong.get(fieldId(fault.path)))
    store.setFault(at, wrong.get(fieldId(at)))
  }
  const validValues = () => {
    const wrong = formFaults(shown, now(), context)
    store.setFaults(wrong)
    return wrong.length > 0 ? undefined : now()
  }
  return {
    store,
    groups,
    isWaiting,
    values,
    shown,
    faults,
    round,
    saving,
    submit,
    attempt,
    check,
    goTo,
    validValues,
    body,
  }
}

/** Sends nothing while something is being sent, nor once the page is left. */
function useOnce(send: (again: boolean) => Promise<'leaving' | undefined>): (again: boolean) => Promise<void> {
  // Beside the state, which a second click within the same moment would not see yet.
  const busy = useRef(false)
  return async (again) => {
    if (busy.current) return
    busy.current = true
    try {
      if ((await send(again)) === 'leaving') return
      busy.current = false
    } catch (error) {
      busy.current = false
      throw error
    }
  }
}
