import './form-body.css'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { isEnter } from '../../design/inputs/enter.ts'
import { Notice } from '../../design/Notice.tsx'
import { t } from '../../lib/i18n.ts'
import type { ChangeCall } from '../change-preview/change.ts'
import type { FormField } from '../view/form-groups.ts'
import type { FormValues } from '../view/form-view.ts'
import { type EditedForm, EditedFormContext, FormValuesContext } from './edited-form.ts'
import { FormBar } from './FormBar.tsx'
import { FormChange } from './FormChange.tsx'
import { FormContents } from './FormContents.tsx'
import { FormFieldItem } from './FormField.tsx'
import { FormGroup } from './FormGroup.tsx'
import { FormSkeleton } from './FormSkeleton.tsx'
import { useDraft, useKeptValues } from './use-draft.ts'
import { type SendingOptions, useSending } from './use-sending.ts'

const FIRST_INPUT =
  '.widget :is(input:not([type="hidden"], [type="file"], [type="radio"], :disabled), textarea:not(:disabled))'

export interface ResourceFormProps extends SendingOptions {
  saveAndContinue?: boolean
  /** Puts the cursor into the first field. */
  focusFirst?: boolean
  onDirty?: (dirty: boolean) => void
  /** Told the values as they are typed and chosen, also such that cannot be saved. */
  onValues?: (values: FormValues) => void
  /** Beside the submit button. */
  extraButtons?: ReactNode
  submitText?: string
  /** Where what is typed is kept until it is saved (`draftName`); a form in a dialog has no such place. */
  draft?: string
  /** A page of its own, which says what it is made of where it is long. */
  hasContents?: boolean
  /** The call that stores a body, where it decides who may do what: the form says what it changes. */
  change?: ((body: unknown) => ChangeCall) | undefined
  /** No Reset, where there is no single row to go back to. */
  submitOnly?: boolean
}

/**
 * A form of groups of fields, looked at before it is sent, with the server's messages under their
 * fields (A5.20 to A5.30). Ctrl and Enter send it from anywhere in it.
 */
export function ResourceForm(props: ResourceFormProps) {
  const { initial, context, saveAndContinue = false, focusFirst = false, submitOnly = false } = props
  const element = useRef<HTMLFormElement>(null)
  const kept = useKeptValues(props.draft, context)
  const endDraft = useRef<() => void>(undefined)
  const [isDirty, mark] = useDirtyMark(props.onDirty, kept !== undefined)
  const sending = useSending({ ...props, kept }, element, () => {
    mark(false)
    endDraft.current?.()
  })
  const { groups, values, shown, faults, round, store, submit } = sending
  const { onValues } = props
  useEffect(() => {
    if (!onValues) return
    const tell = () => onValues(store.state().values)
    tell()
    return store.subscribe(tell)
  }, [onValues, store])
  const edited = useRef(sending)
  edited.current = sending
  const editedForm = useMemo<EditedForm>(
    () => ({
      validValues: () => edited.current.validValues(),
      attempt: (work) => edited.current.attempt(work),
    }),
    [],
  )
  // Later, when another type is chosen, what is filled in already stays in sight.
  const [isReady, setReady] = useState(!sending.isWaiting)
  if (!isReady && !sending.isWaiting) setReady(true)
  useEffect(() => {
    if (focusFirst && isReady) element.current?.querySelector<HTMLElement>(FIRST_INPUT)?.focus({ preventScroll: true })
  }, [focusFirst, isReady])
  const reset = () => {
    store.reset(initial)
    mark(false)
  }
  endDraft.current = useDraft({
    name: props.draft,
    context,
    store,
    isDirty,
    fields: groups.flatMap(({ fields }) => fields),
  })
  if (!isReady) return <FormSkeleton groups={props.groups} />
  const hasFault = (field: FormField) => [...faults.values()].some(({ path }) => path[0] === field.name)
  return (
    <EditedFormContext value={editedForm}>
      <form
        ref={element}
        className="form"
        // The browser's own bubbles would come first, in its own language.
        noValidate
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(false)
        }}
        onKeyDown={(event) => {
          if (isSend(event)) void submit(false)
        }}
      >
        {kept && isDirty && <DraftNotice onReset={reset} />}
        {props.hasContents && <FormContents form={element} groups={groups} />}
        <FormValuesContext value={values}>
          {groups.map((group) => {
            const visible = group.fields.filter((field) => shown.includes(field) && !isEmptyShape(field))
            if (visible.length === 0) return null
            return (
              <FormGroup
                key={`${round} ${group.title}`}
                group={group}
                fields={visible}
                initial={initial}
                context={context}
                hasFault={visible.some(hasFault)}
              >
                {visible.map((field) => (
                  <FormFieldItem
                    key={field.name}
                    field={field}
                    values={values}
                    context={context}
                    sending={sending}
                    onPicked={() => mark(true)}
                  />
                ))}
              </FormGroup>
            )
          })}
        </FormValuesContext>
        {props.change && <FormChange sending={sending} change={props.change} />}
        <FormBar
          sending={sending}
          isDirty={isDirty}
          submitText={props.submitText}
          saveAndContinue={saveAndContinue}
          onReset={context.mode === 'update' && !submitOnly ? reset : undefined}
        >
          {props.extraButtons}
        </FormBar>
      </form>
    </EditedFormContext>
  )
}

/** Says that the form begins with what was typed before. */
function DraftNotice({ onReset }: { onReset: () => void }) {
  return (
    <Notice
      tone="info"
      role="status"
      title={t('What you typed before is here again, without passwords.')}
      action={
        <Button size="small" onClick={onReset}>
          {t('Start over')}
        </Button>
      }
    />
  )
}

/** Some types have nothing to fill in. */
const isEmptyShape = (field: FormField) =>
  field.shape_by !== undefined && Object.keys(field.children ?? {}).length === 0

const isSend = (event: KeyboardEvent) => isEnter(event) && (event.ctrlKey || event.metaKey) && !event.defaultPrevented

/** Whether the form holds unsaved input, told each time that changes, and once more when it is gone. */
function useDirtyMark(
  onDirty: ResourceFormProps['onDirty'],
  isDirtyAtFirst: boolean,
): [isDirty: boolean, mark: (dirty: boolean) => void] {
  const [isDirty, setDirty] = useState(isDirtyAtFirst)
  const reported = useRef(isDirtyAtFirst)
  useEffect(() => {
    if (isDirtyAtFirst) onDirty?.(true)
  }, [onDirty, isDirtyAtFirst])
  useEffect(() => () => onDirty?.(false), [onDirty])
  return [
    isDirty,
    (now) => {
      if (reported.current === now) return
      reported.current = now
      setDirty(now)
      onDirty?.(now)
    },
  ]
}
