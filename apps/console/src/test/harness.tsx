/**
 * What component tests share: a signed-in person, a server of canned answers made from definitions,
 * and a router around the page.
 */
import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import type { ComponentProps, ReactNode } from 'react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { vi } from 'vitest'
import { FeedbackHost } from '../design/dialogs/feedback.tsx'
import { forgetMessages } from '../design/dialogs/Messages.tsx'
import type { RemoteField } from '../generic/view/metadata.ts'
import { queryClient } from '../lib/query.ts'
import { setRoutes } from '../navigation/routes.ts'
import { type Session, setSession } from '../session/session.ts'

/** Whether a control does nothing now: plainly, or saying why. */
export const isGreyed = (control: HTMLElement) =>
  control.hasAttribute('disabled') || control.getAttribute('aria-disabled') === 'true'

/** A system administrator in the default organization, in English. */
export function signIn(change: Partial<Session> = {}): Session {
  // Drafts of the test before are gone.
  sessionStorage.clear()
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'django_language=en; path=/'
  const org = { id: '00000000-0000-0000-0000-000000000002', name: 'Default', is_default: true }
  const session: Session = {
    settings: {},
    profile: { id: 'u1', name: 'Ada', username: 'ada', role: 'Admin', admin_or_audit_orgs: [org] },
    org,
    orgs: [org],
    bits: 147,
    role: 146,
    ...change,
  }
  setSession(session)
  return session
}

const WIRE_TYPES: Partial<Record<Field['type'], string>> = {
  multichoice: 'multiple choice',
  strings: 'list',
  ref: 'field',
  refs: 'field',
  object: 'nested object',
  uuid: 'string',
  text: 'string',
}

/** OPTIONS as the server makes it from a definition. */
export function metadataFor({ fields, filters }: ResourceDefinition) {
  const filterable = filters.map((filter) => (typeof filter === 'string' ? filter : filter.name))
  const all = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        ...fieldMetadata(field),
        order: !['refs', 'strings'].includes(field.type),
        ...(filterable.includes(name) ? { filter: true } : {}),
      },
    ]),
  )
  return { name: '', actions: { GET: all, POST: all, PUT: all } }
}

/** One field of OPTIONS, with those inside it. */
export function fieldMetadata(field: Field): RemoteField {
  return {
    type: WIRE_TYPES[field.type] ?? field.type,
    label: field.label,
    required: field.required === true,
    read_only: field.readOnly === true,
    write_only: field.writeOnly === true,
    ...(field.maxLength ? { max_length: field.maxLength } : {}),
    ...(field.nullable ? { nullable: true } : {}),
    ...(field.named ? { named: true } : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.choices
      ? {
          choices: Object.entries(field.choices).map(([value, display_name]) => ({
            value: field.integer ? Number(value) : value,
            display_name,
          })),
        }
      : {}),
    ...(field.to ? { related: field.to, many: field.type === 'refs' } : {}),
    ...(field.fields
      ? {
          children: Object.fromEntries(
            Object.entries(field.fields).map(([name, child]) => [name, fieldMetadata(child)]),
          ),
        }
      : {}),
  }
}

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
}

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | undefined

/** Answers every fetch by a function and keeps the calls. An undefined answer is a 404. */
export function serve(answer: (call: Call) => Answer): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const url = new URL(address, 'http://console')
    const call = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
    }
    calls.push(call)
    const given = answer(call) ?? { status: 404, body: { detail: 'Not found.', code: 'object_does_not_exist' } }
    const status = given.status ?? 200
    return new Response(status === 204 ? null : JSON.stringify(given.body ?? {}), {
      status,
      headers: { 'content-type': 'application/json', ...given.headers },
    })
  })
  return calls
}

/** Keeps the answers to these calls back, until the function that it returns is called. */
export function holdBack(which: (method: string, path: string) => boolean): () => void {
  const answered = globalThis.fetch
  const { promise, resolve } = Promise.withResolvers<void>()
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    if (which(init.method ?? 'GET', new URL(address, 'http://console').pathname)) await promise
    return answered(address, init)
  })
  return resolve
}

/** Shows a page at an address. `routes` are the named pages that exist, by path. */
export function show(page: ReactNode, address: string, path: string, routes: Readonly<Record<string, string>> = {}) {
  queryClient.clear()
  setRoutes(Object.entries(routes).map(([name, at]) => ({ name, path: at, title: name })))
  const router = createMemoryRouter(
    [
      { path, element: page },
      { path: '*', element: <p>elsewhere</p> },
    ],
    { initialEntries: [address] },
  )
  return { ...showRouter(router), router }
}

/**
 * The content of a dialog that asks a question, by its title. By its name it is not found where another
 * one is still closing: in tests the library gives all titles one id.
 */
export async function questionTitled(title: string | RegExp) {
  const [found] = await screen.findAllByText(title)
  return within(found?.closest('[aria-modal=true]') as HTMLElement)
}

/** Shows what a router leads to, with what stands around every page. */
export function showRouter(router: ComponentProps<typeof RouterProvider>['router']) {
  forgetMessages()
  return render(
    <QueryClientProvider client={queryClient}>
      <FeedbackHost />
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}
