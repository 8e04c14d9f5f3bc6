import { PencilIcon } from 'lucide-react'
import { type ChangeEvent, type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { isEnter } from '../../design/inputs/enter.ts'
import { ApiError, api, errorText, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { formErrors } from '../view/form-errors.ts'
import { kindOf, type RemoteField } from '../view/metadata.ts'
import { textOf, typedValue } from './cell-text.ts'

export interface EditableCellProps {
  /** List address. */
  path: string
  row: Row
  name: string
  /** Metadata of the field as PATCH takes it. */
  field: RemoteField
}

/**
 * A text that becomes an input when it is clicked: Enter or leaving it saves by PATCH, Escape takes
 * back what was typed, a refusal is at the cell and keeps the input open
 * (docs/rules/lists-and-forms.md#cell_formatters).
 */
export function EditableCell({ path, row, name, field }: EditableCellProps) {
  const [draft, setDraft] = useState<string>()
  const [error, setError] = useState('')
  const saving = useRef(false)
  const opener = useRef<HTMLButtonElement>(null)
  const refocus = useRef(false)
  const value = row[name]
  const text = textOf(value)
  const label = t('{{field}} of {{name}}', { field: field.label, name: String(row.name ?? row.hostname ?? row.id) })
  useEffect(() => {
    if (draft !== undefined || !refocus.current) return
    refocus.current = false
    opener.current?.focus()
  }, [draft])

  const close = (byKey: boolean) => {
    refocus.current = byKey
    setError('')
    setDraft(undefined)
  }
  const save = async (byKey: boolean) => {
    if (draft === undefined || saving.current) return
    if (draft.trim() === text) return close(byKey)
    const wrong = wrongBeforeSending(draft.trim(), field)
    if (wrong) return setError(wrong)
    saving.current = true
    try {
      await api.patch(`${path}${encodeURIComponent(row.id)}/`, { [name]: sent(draft, value, field) }, { quiet: true })
      // The input stays until the list shows what was saved.
      await forget(path)
      close(byKey)
    } catch (failure) {
      setError(reason(failure, name))
    } finally {
      saving.current = false
    }
  }
  if (draft === undefined)
    return (
      <button
        type="button"
        ref={opener}
        className="cell-edit"
        {...(text === '' ? { 'aria-label': label } : {})}
        aria-description={t('Edit')}
        title={text || t('Edit')}
        onClick={() => setDraft(text)}
      >
        <span>{text || ' '}</span>
        <PencilIcon aria-hidden="true" />
      </button>
    )
  return (
    <CellEditor
      label={label}
      before={text}
      draft={draft}
      error={error}
      maxLength={field.max_length}
      onDraft={(next) => {
        setDraft(next)
        setError('')
      }}
      onSave={(byKey) => void save(byKey)}
      onCancel={() => close(true)}
    />
  )
}

interface CellEditorProps {
  label: string
  /** What stood in the cell. */
  before: string
  draft: string
  error: string
  maxLength: number | undefined
  onDraft: (draft: string) => void
  onSave: (byKey: boolean) => void
  onCancel: () => void
}

function CellEditor({ label, before, draft, error, maxLength, onDraft, onSave, onCancel }: CellEditorProps) {
  const Editor = before.includes('\n') ? 'textarea' : 'input'
  const handleKey = (event: KeyboardEvent) => {
    // Enter and Escape belong to the input method while it composes.
    if (event.nativeEvent.isComposing) return
    if (isEnter(event) && !event.shiftKey) {
      event.preventDefault()
      onSave(true)
    }
    if (event.key !== 'Escape') return
    // A dialog around the list stays.
    event.stopPropagation()
    onCancel()
  }
  return (
    <span className="cell-editor">
      {/* Holds the column as wide as it was. */}
      <span className="cell-ghost" aria-hidden="true">
        {before}
      </span>
      <span className="cell-typing">
        <Editor
          aria-label={label}
          aria-invalid={error !== ''}
          autoFocus
          autoComplete="off"
          maxLength={maxLength}
          value={draft}
          onChange={({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onDraft(target.value)}
          onFocus={({ target }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>) => target.select()}
          // A refused value is not sent again by merely leaving the cell.
          onBlur={() => error === '' && onSave(false)}
          onKeyDown={handleKey}
        />
        {error && (
          <span className="cell-error" role="alert">
            {error}
          </span>
        )}
      </span>
    </span>
  )
}

/** Everything that follows from the metadata alone. */
function wrongBeforeSending(text: string, field: RemoteField): string | undefined {
  if (text === '') return field.required ? t('This field is required') : undefined
  return kindOf(field) === 'integer' && !/^-?\d+$/.test(text) ? t('Enter a whole number') : undefined
}

function sent(draft: string, before: unknown, field: RemoteField): unknown {
  const typed = typedValue(draft, before)
  if (typed === '' && field.nullable) return null
  const kind = kindOf(field)
  return typed !== '' && (kind === 'integer' || kind === 'float') ? Number(typed) : typed
}

/** The field's own message, else whatever the server says. */
function reason(failure: unknown, name: string): string {
  if (!(failure instanceof ApiError) || !failure.fields) return errorText(failure)
  const { fields, others } = formErrors(failure.fields, [{ name }])
  return [...fields.map(({ text }) => text), ...others].join('; ') || errorText(failure)
}
