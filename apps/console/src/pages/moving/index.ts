/** The pages of this domain: one chunk, fetched when one of them is wanted (`../registry.ts`). */
export const pages = import.meta.glob('./*.page.tsx', { eager: true, import: 'pages' })
