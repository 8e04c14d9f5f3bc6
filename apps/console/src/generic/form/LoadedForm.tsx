import type { Fields } from '@sallyport/contract/define.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { ApiError, api, errorText, type Row, withQuery } from '../../lib/api.ts'
import { language, t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'
import { asNew } from '../detail/NextSteps.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import { type FormField, type FormFields, formGroups, initialValues, rowValues } from '../view/form-groups.ts'
import type { FormContext, FormValues, FormView } from '../view/form-view.ts'
import { rowTitle } from '../view/row-title.ts'
import { draftName, dropDraft } from './draft.ts'
import { asMultipart } from './multipart.ts'
import { ResourceForm } from './ResourceForm.tsx'

const REDIRECT_MS = 100

type Method = 'POST' | 'PUT' | 'PATCH'

export interface LoadedFormProps {
  pages: ResourcePages
  base: string
  mode: 'create' | 'update'
  view: FormView
  /** The fields that the server takes. */
  remote: Parameters<typeof formGroups>[1]
  /** The row to change or clone. */
  row: Row | undefined
  query: URLSearchParams
}

/** The form of a create or update page, once everything that it begins with is there. */
export function LoadedForm({ pages, base, mode, view, remote, row, query }: LoadedFormProps) {
  const { path, operations } = pages.definition
  const method = view.method ?? (operations.includes('update') ? 'PUT' : 'PATCH')
  const navigate = useNavigate()
  const client = useQueryClient()
  const leaving = useLeaveQuestion({ isKept: true })
  const { pathname, search } = useLocation()
  const [draft] = useState(() => draftName(pathname + search))
  const [round, setRound] = useState(0)
  const first = useRef({ mode, row, query })
  const context: FormContext = first.current
  const groups = useMemo(() => withPatterns(formGroups(view, remote), pages.definition), [view, remote, pages])
  const initial = useMemo(() => valuesAtFirst(groups, view, context), [groups, view, context])

  const home = (saved?: Row) => returnAddress(query) ?? pages.home?.(saved, query) ?? addressOf(`${base}List`) ?? '/'
  /** Where the person goes on once it is stored. */
  const next = (saved: Row) => {
    const page = addressOf(`${base}Detail`, { id: saved.id })
    if (mode === 'create' && page && pages.detail?.nextSteps && !query.has('return')) return asNew(page)
    return returnAddress(query) ?? view.next?.(saved, context) ?? home(saved)
  }
  const target = withQuery(
    mode === 'create' ? path : `${path}${encodeURIComponent(row?.id ?? '')}/`,
    view.query?.(context),
  )
  const change = pages.definition.bearsRights
    ? (body: unknown) => ({ method: mode === 'create' ? ('POST' as const) : method, address: target, body })
    : undefined
  const save = async (values: unknown, again: boolean): Promise<'leaving' | undefined> => {
    const saved =
      mode === 'create' && view.store
        ? await reported('POST', view.store(values as FormValues, context))
        : await store(mode === 'create' ? 'POST' : method, target, values)
    const page = saved?.id ? addressOf(`${base}Detail`, { id: saved.id }) : undefined
    showSuccess(
      <>
        {mode === 'update' ? t('Saved') : t('Created')}{' '}
        {saved?.id && (
          <SavedName
            name={rowTitle(pages, saved)}
            page={page && withQuery(page, pages.rowQuery?.(query))}
            onOpen={(address) => void navigate(address)}
          />
        )}
        {again && ` — ${t('You may add another')}`}
      </>,
    )
    leaving.allow()
    client.removeQueries({ queryKey: keys.one(path, row?.id ?? '') })
    void forget(path)
    if (again) {
      // Or the next one would begin with what was typed slowly into this one.
      dropDraft(draft)
      setRound(round + 1)
      return undefined
    }
    setTimeout(() => void navigate(next(saved)), REDIRECT_MS)
    // Until the page is gone the form stays busy, so that a second click sends nothing.
    return 'leaving'
  }
  return (
    <ResourceForm
      key={round}
      groups={groups}
      initial={initial}
      path={path}
      context={context}
      view={view}
      save={save}
      change={change}
      keepLoaded={mode === 'update' && method === 'PUT'}
      // On a phone the keyboard would cover half of the form.
      focusFirst={round > 0 || (mode === 'create' && matchMedia('(pointer: fine)').matches)}
      saveAndContinue={mode === 'create' && view.saveAndContinue !== false}
      onDirty={leaving.setDirty}
      draft={draft}
      hasContents
      extraButtons={<Button onClick={() => void navigate(home(row))}>{t('Cancel')}</Button>}
    />
  )
}

/** The page of the console that sent the person here, to go on there. */
function returnAddress(query: URLSearchParams): string | undefined {
  const address = query.get('return') ?? ''
  return /^\/(?![/\\])/.test(address) ? address : undefined
}

/** Initial values of the fields: defaults, and over them the row that is changed or cloned. */
function valuesAtFirst(groups: readonly FormFields[], view: FormView, context: FormContext) {
  const { mode, row } = context
  const fields = groups.flatMap((group) => group.fields)
  const fresh = mode === 'create' ? initialValues(fields, context) : {}
  if (!row) return fresh
  const shaped = view.fromRow ? ({ ...row, ...view.fromRow(row, context) } as Row) : row
  const prefix = language() === 'en' ? 'Clone from' : '克隆自'
  return { ...fresh, ...rowValues(shaped, fields, mode === 'create' ? prefix : undefined) }
}

/**
 * Sends the form and returns the row as it was stored. Shows a failure that no field can show.
 *
 * @throws ApiError with the messages of fields, among others
 */
function store(method: Method, address: string, values: unknown): Promise<Row> {
  const call = { POST: api.post<Row>, PUT: api.put<Row>, PATCH: api.patch<Row> }[method]
  return reported(method, call(address, asMultipart(values), { quiet: true }))
}

async function reported(method: Method, sent: Promise<Row>): Promise<Row> {
  try {
    return await sent
  } catch (error) {
    // The question about the sign-in that is over says it all (B8.02).
    if (error instanceof ApiError && (error.fields || error.status === 401)) throw error
    showError(`${method === 'POST' ? t('Create error') : t('Update failed')}: ${errorText(error)}`)
    throw error
  }
}

interface SavedNameProps {
  name: string
  page: string | undefined
  onOpen: (page: string) => void
}

/** The name of what was saved, which leads to its page where there is one. */
function SavedName({ name, page, onOpen }: SavedNameProps) {
  if (!page) return name
  return (
    <a
      href={`/ui${page}`}
      onClick={(event) => {
        // Messages are drawn outside the router, so the link takes the router's own way by hand.
        event.preventDefault()
        onOpen(page)
      }}
    >
      {name}
    </a>
  )
}

/** Metadata tells no patterns; the definition, which both sides share, does. */
function withPatterns(groups: FormFields[], { fields }: ResourcePages['definition']): FormFields[] {
  return groups.map((group) => ({
    ...group,
    fields: group.fields.map((field) => {
      const { pattern, fields: inside } = fields[field.name] ?? {}
      return { ...field, ...(pattern ? { pattern } : {}), ...(inside ? { children: patternsIn(field, inside) } : {}) }
    }),
  }))
}

const patternsIn = ({ children = {} }: FormField, inside: Fields): NonNullable<FormField['children']> =>
  Object.fromEntries(
    Object.entries(children).map(([name, child]) => {
      const pattern = inside[name]?.pattern
      return [name, pattern ? { ...child, pattern } : child]
    }),
  )
