import { lazily } from '../../design/lazily.tsx'

/*
 * Forms with all their widgets are a sixth of the first list's code, and no list needs one: pages
 * that have a form in a tab, a card or a dialog draw these. Create and update pages are fetched by
 * their route.
 */

/** A form of groups of fields. */
export const LazyForm = lazily(() => import('./ResourceForm.tsx').then((m) => m.ResourceForm))

/** Create or update page that another page is made of. */
export const LazyFormPage = lazily(() => import('./FormPage.tsx').then((m) => m.FormPage))
