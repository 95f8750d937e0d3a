/** The folder of published inputs and vectors, `SVC_TEST_DATA`; undefined when it is absent: tests that need it say so. */
export const DATA: string | undefined = Deno.env.get("SVC_TEST_DATA");
