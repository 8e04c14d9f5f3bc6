import { useState } from 'react'
import { showSuccess } from '../app/feedback.tsx'
import { Checkbox } from '../generic/controls.tsx'
import type { BulkAction, FormContext, FormFieldView } from '../generic/define-pages.ts'
import { bodyOf, type FormField, formGroups } from '../generic/form-groups.ts'
import { useMetadata } from '../generic/metadata.ts'
import { FieldWidget } from '../generic/widgets/FieldWidget.tsx'
import { api } from '../lib/api.ts'
import { msg, t } from '../lib/i18n.ts'
import { askWith } from './dialogs.tsx'

interface BulkUpdate {
  path: string
  fields: readonly (string | FormFieldView)[]
  initial?: Readonly<Record<string, unknown>>
  can?: () => boolean | string
}

/** "Update selected": a dialog of fields, of which only the ticked ones are sent for every selected row. */
export function bulkUpdate({ path, fields, initial = {}, can }: BulkUpdate): BulkAction {
  return {
    name: 'update',
    title: msg('Update selected'),
    ...(can ? { can } : {}),
    run: async (ids, _rows, { refresh }) => {
      let change: Record<string, unknown> = {}
      const form = <BulkUpdateForm path={path} fields={fields} initial={initial} onChange={(next) => (change = next)} />
      if (!(await askWith(t('Update selected'), form)) || Object.keys(change).length === 0) return
      await api.patch(
        path,
        ids.map((id) => ({ id, ...change })),
      )
      showSuccess(t('Update success'))
      await refresh()
    },
  }
}

interface BulkUpdateFormProps extends Pick<BulkUpdate, 'path' | 'fields'> {
  initial: Readonly<Record<string, unknown>>
  /** Told what would be sent. */
  onChange: (change: Record<string, unknown>) => void
}

const CONTEXT: FormContext = { mode: 'update', row: undefined, query: new URLSearchParams() }

function BulkUpdateForm({ path, fields, initial, onChange }: BulkUpdateFormProps) {
  const remote = useMetadata(path).data?.actions.PUT
  const [values, setValues] = useState<Record<string, unknown>>({ ...initial })
  const [ticked, setTicked] = useState<readonly string[]>([])
  if (!remote) return <span className="loading">{t('Loading')}</span>
  const offered = formGroups({ groups: [{ title: '', fields }] }, remote).flatMap((group) => group.fields)
  const change = (nextValues: Record<string, unknown>, nextTicked: readonly string[]) => {
    setValues(nextValues)
    setTicked(nextTicked)
    onChange(
      bodyOf(
        offered.filter(({ name }) => nextTicked.includes(name)),
        nextValues,
        CONTEXT,
      ),
    )
  }
  return (
    <div className="bulk-update">
      <p>{t('Only ticked properties are changed.')}</p>
      {offered.map((field: FormField) => {
        const on = ticked.includes(field.name)
        return (
          <div key={field.name} className="bulk-field">
            <Checkbox
              checked={on}
              onChange={({ target }) =>
                change(values, target.checked ? [...ticked, field.name] : ticked.filter((name) => name !== field.name))
              }
            >
              {t(field.label)}
            </Checkbox>
            <FieldWidget
              field={field}
              context={CONTEXT}
              disabled={!on}
              value={values[field.name]}
              onChange={(value) => change({ ...values, [field.name]: value }, ticked)}
              onPicked={() => {}}
            />
          </div>
        )
      })}
    </div>
  )
}
