import { useEffect, useRef, useState } from 'react'
import type { FormField } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
import type { FormStore } from './form-store.ts'

const TYPING_MS = 400

/** The values of a form's draft, to begin with. @param name of the draft; undefined for a form that has none */
export function useKeptValues(name: string | undefined, context: FormContext): FormValues | undefined {
  const [kept] = useState(() => (name === undefined ? undefined : readDraft(name, baseOf(context))))
  return kept
}

/**
 * Keeps what is typed a moment later, and at once when the form is left; drops it when the form is put
 * back to what it began with. Answers what drops it for good, once all is stored.
 */
export function useDraft(options: {
  name: string | undefined
  context: FormContext
  store: FormStore
  fields: readonly FormField[]
  isDirty: boolean
}): () => void {
  const { name, store, isDirty } = options
  const now = useRef(options)
  now.current = options
  const wasDirty = useRef(isDirty)
  const isOver = useRef(false)
  useEffect(() => {
    if (name === undefined || wasDirty.current === isDirty) return
    wasDirty.current = isDirty
    if (!isDirty) dropDraft(name)
  }, [name, isDirty])
  useEffect(() => {
    if (name === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      timer = undefined
      const { isDirty, context, fields } = now.current
      if (isDirty && !isOver.current) keepDraft(name, baseOf(context), fields, store.state().values)
    }
    const stop = store.subscribe(() => {
      timer ??= setTimeout(keep, TYPING_MS)
    })
    return () => {
      stop()
      if (timer === undefined) return
      clearTimeout(timer)
      keep()
    }
  }, [name, store])
  return () => {
    isOver.current = true
    if (name !== undefined) dropDraft(name)
  }
}

/** The first values of the form, shortly: 32 bits of the row. */
function baseOf({ mode, row }: FormContext): string {
  if (mode === 'create') return 'new'
  let sum = 0
  for (const character of JSON.stringify(row ?? '')) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0
  return String(sum)
}
