/** Update for the ticked rows: one change for all selected rows (B2.07 B3.07 B7.35). */
import { QueryClientProvider } from '@tanstack/react-query'
import { openDialog, showSuccess } from '../../design/dialogs/feedback.tsx'
import { lazily } from '../../design/lazily.tsx'
import { ApiError, api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { queryClient } from '../../lib/query.ts'
import type { Allowed, BulkAction } from '../view/actions.ts'
import type { FormFieldView, FormValues } from '../view/form-view.ts'
import type { BulkUpdateFormProps } from './BulkUpdateForm.tsx'

const BulkUpdateForm = lazily<BulkUpdateFormProps>(() => import('./BulkUpdateForm.tsx').then((m) => m.BulkUpdateForm))

interface BulkUpdate {
  path: string
  /** Fields that may be changed, as in a form. */
  fields: readonly (string | FormFieldView)[]
  /** Values of the fields when they are ticked. */
  initial?: Readonly<FormValues>
  can?: () => Allowed
  /** Whether the rows decide who may do what, so that the form says what it changes. */
  bearsRights?: boolean | undefined
}

/**
 * A bulk action that opens a form of these fields, of which only the ticked ones are sent for every
 * selected row.
 */
export function bulkUpdate({ path, fields, initial = {}, can, bearsRights }: BulkUpdate): BulkAction {
  return {
    name: 'update',
    title: msg('Update'),
    asks: true,
    ...(can ? { can } : {}),
    run: (ids, rows, { refresh }) => {
      const names = new Map(rows.map((row) => [row.id, String(row.name ?? row.hostname ?? row.id)]))
      const bodyOf = (change: FormValues) => ids.map((id) => ({ id, ...change }))
      openDialog({
        title: t('Update selected rows ({{count}})', { count: ids.length }),
        width: 'max(70%, min(100%, 360px))',
        content: (close) => (
          <QueryClientProvider client={queryClient}>
            <BulkUpdateForm
              path={path}
              fields={fields}
              initial={initial}
              onCancel={close}
              change={
                bearsRights
                  ? (body) => ({ method: 'PATCH', address: path, body: bodyOf(body as FormValues) })
                  : undefined
              }
              save={async (change) => {
                try {
                  await api.patch(path, bodyOf(change), { quiet: true })
                } catch (error) {
                  throw error instanceof ApiError && Array.isArray(error.body)
                    ? new ApiError(
                        error.status,
                        byField(
                          error.body,
                          ids.map((id) => names.get(id) ?? id),
                        ),
                        error.message,
                      )
                    : error
                }
                close()
                showSuccess(t('Saved'))
                await refresh()
              }}
            />
          </QueryClientProvider>
        ),
      })
    },
  }
}

/**
 * Messages of a list of rows, by field. What every refused row says alike is said once, anything
 * else with the name of its row.
 */
export function byField(answers: readonly unknown[], names: readonly string[]): Record<string, string[]> {
  const found = new Map<string, Map<string, string[]>>()
  answers.forEach((answer, at) => {
    for (const [field, texts] of Object.entries((answer ?? {}) as Record<string, unknown>))
      for (const text of [texts].flat().map(String)) {
        const rows = found.get(field) ?? new Map<string, string[]>()
        found.set(field, rows.set(text, [...(rows.get(text) ?? []), names[at] ?? '']))
      }
  })
  return Object.fromEntries(
    [...found].map(([field, rows]) => [
      field,
      [...rows].map(([text, of]) => (of.length === answers.length ? text : `${shortList(of)}: ${text}`)),
    ]),
  )
}

const MAX_NAMES = 3

const shortList = (names: readonly string[]) =>
  (names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), '…'] : names).join(', ')
