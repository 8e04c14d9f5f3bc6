/** Programs through which a text comes, as it was or changed. */
const FILTERS =
  /(?:^|[\s(;&|`/])(?:cat|tac|tee|head|tail|sort|uniq|[ef]?grep|rg|tr|dd|sed|[gmn]?awk|cut|paste|rev|fold|fmt|nl|pr|expand|unexpand|column|iconv|recode|dos2unix|base(?:32|64|nc)|xxd|od|openssl|gpg|g?zip|gunzip|zcat|xz|xzcat|unxz|zstd|zstdcat|unzstd|bzip2|bzcat|bunzip2|lz4|perl|python[\d.]*|ruby|read|mapfile|readarray|pv|mbuffer|buffer|sponge|stdbuf|unbuffer|envsubst|m4|jq|yq|strings|col|line|ed|logger|while)(?=$|[\s;)|`<])/
/** Paths at which a shell finds its own input. */
const OWN_INPUT = /\/dev\/(?:stdin|fd\/0|tty)|\/proc\/self\/fd\/0|<&\s*0/

/** Whether something in a text may take what comes to it, and hand it on. */
export const readsOwnInput = (text: string): boolean => FILTERS.test(text) || OWN_INPUT.test(text)
