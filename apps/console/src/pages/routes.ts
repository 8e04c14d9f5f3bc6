/// <reference types="vite/client" />
/**
 * Where every page stands. Each page file says it for its own pages; only that part of the file is
 * here (`page-routes.ts` of the console).
 */
import { menuOf } from '../navigation/menu.ts'
import type { PagePlace } from '../navigation/page-place.ts'

const files = import.meta.glob<PagePlace[]>('./*/*.page.tsx', { eager: true, query: '?routes', import: 'routes' })

/** The domain, which is its folder, that shows a page. */
export const DOMAIN_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(files).flatMap(([file, pages]) => pages.map(({ name }) => [name, file.split('/')[1] ?? ''] as const)),
)

/** The menus with all pages in them. */
export const MENU = menuOf(Object.values(files).flat())
