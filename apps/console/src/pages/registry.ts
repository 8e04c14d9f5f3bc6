/** Which component shows which route; `pages/index.ts` fills it. */
import { type ComponentType, createElement, type LazyExoticComponent, lazy } from 'react'
import { DetailPage } from '../generic/detail/DetailPage.tsx'
import { ListPage } from '../generic/list/ListPage.tsx'
import type { ResourcePages } from '../generic/view/define-pages.ts'
import type { PageKind } from '../navigation/routes.ts'

export interface PageProps {
  /** Route title in the person's language. */
  title: string
}

export interface PageSource {
  component: LazyExoticComponent<ComponentType<PageProps>>
  /** Fetches the page's code ahead of its first showing. */
  preload: () => Promise<unknown>
}

export type PageRegistry = Readonly<Record<string, PageSource>>

const formPage = () => import('../generic/form/FormPageBody.tsx')

/** A page with a component of its own. */
export function page(name: string, load: () => Promise<ComponentType<PageProps>>): PageRegistry {
  return { [name]: { component: lazy(async () => ({ default: await load() })), preload: load } }
}

/** The generic pages of a resource: `resource('Label', ['List', 'Create'], …)` gives LabelList and LabelCreate. */
export function resource(base: string, kinds: readonly PageKind[], load: () => Promise<ResourcePages>): PageRegistry {
  return Object.fromEntries(
    kinds.map((kind) => {
      const ready = async (): Promise<ComponentType<PageProps>> => {
        if (kind === 'List') {
          const pages = await load()
          return ({ title }) => createElement(ListPage, { pages, base, title })
        }
        if (kind === 'Detail') {
          const pages = await load()
          return ({ title }) => createElement(DetailPage, { pages, base, title })
        }
        const [pages, { FormPageBody }] = await Promise.all([load(), formPage()])
        const mode = kind === 'Create' ? 'create' : 'update'
        return ({ title }) => createElement(FormPageBody, { pages, base, title, mode })
      }
      return [`${base}${kind}`, { component: lazy(async () => ({ default: await ready() })), preload: ready }]
    }),
  )
}
