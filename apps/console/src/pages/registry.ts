/**
 * Which component shows which page. A domain's pages are one chunk, and its Chinese another,
 * fetched when the first of them is wanted.
 */
import './pages.css'
import { createElement } from 'react'
import { type Loadable, loadable } from '../design/lazily.tsx'
import { DetailPage } from '../generic/detail/DetailPage.tsx'
import { ListPage } from '../generic/list/ListPage.tsx'
import { askForList } from '../generic/list/list-calls.ts'
import type { ResourcePages } from '../generic/view/define-pages.ts'
import { addTexts, type Catalog, language } from '../lib/i18n.ts'
import type { PageKind } from '../navigation/page-place.ts'
import { baseName } from '../navigation/routes.ts'
import type { PageComponent, PageProps } from './page-props.ts'
import { DOMAIN_OF } from './routes.ts'

/**
 * For each file: a component by the name of its route, or a resource's pages by the name before
 * List, Create, Update and Detail.
 */
type DomainPages = Readonly<Record<string, Readonly<Record<string, PageComponent | ResourcePages>>>>

const domains = import.meta.glob<DomainPages>('./*/index.ts', { import: 'pages' })
const texts = import.meta.glob<Catalog>('../locales/cn/pages/*.json', { import: 'default' })

const formPage = async () => (await import('../generic/form/FormPage.tsx')).FormPage

async function loadTexts(domain: string): Promise<void> {
  const load = texts[`../locales/cn/pages/${domain}.json`]
  if (language() === 'cn' && load) addTexts(await load())
}

/** The component of a page, with the code and texts of its domain. */
async function loadPage(name: string): Promise<PageComponent> {
  const domain = DOMAIN_OF.get(name) ?? ''
  const [files = {}] = await Promise.all([domains[`./${domain}/index.ts`]?.(), loadTexts(domain)])
  const pages = Object.assign({}, ...Object.values(files))
  const base = baseName(name)
  return pages[name] ?? (await genericPage(pages[base], base, name.slice(base.length) as PageKind))
}

async function genericPage(pages: ResourcePages, base: string, kind: PageKind): Promise<PageComponent> {
  if (kind === 'List') {
    const page = ({ title }: PageProps) => createElement(ListPage, { pages, base, title })
    return Object.assign(page, { ask: () => askForList(pages) })
  }
  if (kind === 'Detail') return ({ title }) => createElement(DetailPage, { pages, base, title })
  const FormPage = await formPage()
  const mode = kind === 'Create' ? 'create' : 'update'
  return ({ title }) => createElement(FormPage, { pages, base, title, mode })
}

/** Every page by the name of its route. */
export const PAGES: Readonly<Record<string, Loadable<PageProps, PageComponent>>> = Object.fromEntries(
  [...DOMAIN_OF.keys()].map((name) => [name, loadable(() => loadPage(name))]),
)
