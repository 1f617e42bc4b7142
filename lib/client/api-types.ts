/** Generated from openapi.json by `npm run generate`: types for openapi-fetch and other clients. */

export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the health of the service
         * @description Answers 200 even if a check fails: `status` is then `degraded`, and the `message` of each failed check explains what to do.
         */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/environment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the environment
         * @description Returns the workers, the configuration of the service, and counts. The data comes from the last reports of the workers and from counters, so its cost does not depend on the number of jobs.
         */
        get: operations["readEnvironment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/platform": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve what the service can do
         * @description Returns the version, the agents with their versions and abilities, the models, the limits, the features that are on, where data is stored, and what this version does not have. It changes only with the deployment, its profiles and its workers.
         */
        get: operations["readPlatform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve statistics of jobs, projects and tokens
         * @description Statistics come from counters, which may lag writes by about a second. A job counts once, with its latest end: while it is retried, it does not count as ended.
         */
        get: operations["readStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Returns jobs, newest first by default. A job must match all filters. `total` counts the jobs that match; `status_counts` counts all jobs, whatever the filters. Counts may lag writes by about a second.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Create a job
         * @description The job is queued for a worker, or stored as a draft. When the API answers 201, the job is stored durably.
         */
        post: operations["createJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a job
         * @description Returns all fields of the job, including its prompt texts.
         */
        get: operations["readJobs"];
        /**
         * Replace a queued job
         * @description The job must be QUEUED. Fields that are absent or null keep their values.
         */
        put: operations["replaceJobs"];
        post?: never;
        /**
         * Cancel a job
         * @description Equivalent to `POST /jobs/{id}/cancel`. The job and its output remain available.
         */
        delete: operations["deleteJobs"];
        options?: never;
        head?: never;
        /**
         * Update a queued job
         * @description The job must be QUEUED. Fields that are absent or null keep their values.
         */
        patch: operations["editJobs"];
        trace?: never;
    };
    "/api/v1/jobs/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a job's status
         * @description With `wait`, the API answers when the status changes, or after that many seconds.
         */
        get: operations["statusJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a draft
         * @description The job must be DRAFT. Fields are validated as on creation, and the project can change too. Fields that are absent or null keep their values.
         */
        patch: operations["editDraftJobs"];
        trace?: never;
    };
    "/api/v1/jobs/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a draft
         * @description The job must be DRAFT. It becomes QUEUED, so that a worker can start it. A job that waits with `thread_stopped` starts although an earlier turn of its thread did not succeed.
         */
        post: operations["submitJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A running job becomes CANCELLED when its processes have ended: the agent is asked to stop, and killed after 10 seconds. A cancelled job creates no follow-up jobs and no deployments, even if the agent succeeds in the meantime. With `"tree": true`, all its descendants are cancelled too: the jobs that it brought about, and theirs.
         */
        post: operations["cancelJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Kill a running job
         * @description The processes of the job are killed at once. The job becomes CANCELLED, even if the agent succeeds in the meantime. With `"tree": true`, all its descendants end too: those that run are killed, and those that wait are cancelled.
         */
        post: operations["killJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a job
         * @description Starts another attempt of a job that has ended. Earlier attempts and their output are kept. Not possible once a later turn of its thread has begun, or while a command of a deploy binding works in its folder. With `"from": "session"`, the agent of a FAILED or CANCELLED job continues where it stopped. If its session is missing or refused, it starts from the prompt, with a warning.
         */
        post: operations["retryJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/reread-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild the record of a job from its stored output
         * @description Recalculates sizes, hashes, usage, session and messages of every ended attempt, and creates follow-up jobs that are missing. The operation is idempotent. It may take minutes: after 15 seconds the API sends status 200 and white space until the JSON is ready. A failure after that ends the response without JSON.
         */
        post: operations["rereadLogsJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the questions of a job
         * @description Returns what the agent asked, and the answers. `GET /jobs?needs=answer` lists the jobs with an open question.
         */
        get: operations["questionsJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an agent's question
         * @description The question must be open: a second answer is rejected, and so is one after the deadline. A job that waits for the answer is queued, and continues in the same session.
         */
        post: operations["answerJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an ended job with everything that it holds
         * @description Deletes the job, its prompt texts, title, tags, messages, questions, output, sessions, attachments and deployments. This can't be undone; the audit log keeps who removed it. The job must have ended. Later turns of its thread, and follow-up jobs that share its private folder, have to be removed first, because they hold its texts or files too. Workers delete the folder about an hour later. A removal that was interrupted continues with the next request.
         */
        delete: operations["removeJobs"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/delete-output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete what the attempts of an ended job wrote
         * @description For the day when a secret got into a log. Deletes the output, sessions, final messages, changes, attachments and kept files of all attempts so far, with all versions of their objects, and the agent's questions, errors, warnings and the output of deploy commands. The job stays, with its prompt, messages, state, times and usage. Every later read of its output answers 404 with `output_deleted`. The request answers once everything is deleted. If it is interrupted, the service completes it, as does the same request again. `copies` names the jobs that may repeat some of the output. The folder on the worker is not touched.
         */
        post: operations["deleteOutputJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a job's result
         * @description Returns the outcome of an attempt with its output. While the job runs, the result contains the output so far. With `attempt`, it is the result of an earlier attempt, with the `status` and `state_reason` in which that attempt ended.
         */
        get: operations["resultJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a job's output
         * @description Returns the output of an attempt, while it runs and after it has ended. With `follow=1`, the output is streamed as it is written.
         */
        get: operations["logsJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the session of a job's agent
         * @description Returns what the CLI of codex or claude keeps of its conversation, as stored so far, with all secrets masked. It is saved at most every 10 seconds while the attempt runs, and when it ends. Sessions of more than 64 MiB are cut off.
         */
        get: operations["sessionJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/record": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a job's whole record
         * @description A zip file with the job, its messages and questions, and of every attempt its receipt, final message, output, session, attachments and kept files. Needs the scopes `read` and `attachments` too. `manifest.json`, its last file, lists all parts with bytes and SHA-256. Files that the job named are numbered; the manifest has their paths. Parts beyond 150000000 bytes in all are left out, and the manifest says where to read them. An archive that is cut off has no directory: it can't be opened.
         */
        get: operations["recordJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a job
         * @description Returns all messages to the job, in the order in which they were accepted.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Send a message to a job
         * @description A running agent gets it with its next model request, in the same turn. A queued job gets it with its prompt. The job must be QUEUED or RUNNING, and takes at most 100 messages. With `drive: exec` in its profile an agent takes none while it runs: they wait for its next attempt. What the agent has not got when the job succeeds or fails becomes the next turn of the thread, unless `only_now` is true. The agent `shell` takes none.
         */
        post: operations["createMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deploy-bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deploy bindings
         * @description Returns all bindings, or those of one project. Secrets are never returned.
         */
        get: operations["listDeployBindings"];
        put?: never;
        /**
         * Create or update a deploy binding
         * @description A deploy binding defines what happens when a job of its project succeeds. It is identified by project and name: if that binding exists, it is updated, and fields that are absent or null keep their values. An incomplete binding is stored but inactive.
         */
        post: operations["writeDeployBindings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deploy-bindings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a deploy binding
         * @description Its pending deployments are skipped. Jobs keep the record of its earlier deployments.
         */
        delete: operations["deleteDeployBindings"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/deployments/{binding}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a deployment
         * @description Runs the deploy binding for a job that has succeeded, also if the binding was created after the job ended. Commands wait until the thread of the job is idle; they are not retried once a later turn has begun.
         */
        post: operations["retryDeployments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/codex-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the vendor account
         * @description Returns the state of the account and of its latest login. While `state` is `awaiting_user`, open `verification_uri` and enter `user_code`. A deployment that does not list the vendor answers 404.
         */
        get: operations["readCodexAccount"];
        put?: never;
        post?: never;
        /**
         * Unlink the vendor account
         * @description New attempts no longer get the login. The next worker revokes it with the vendor and deletes it. A login in progress is cancelled.
         */
        delete: operations["logoutCodexAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/codex-account/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a device login
         * @description A worker runs the login. If a login is already in progress, it is returned.
         */
        post: operations["startCodexAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/codex-account/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the login in progress
         * @description Invalidates the code that was shown. Answers 400 if no login is in progress.
         */
        post: operations["cancelCodexAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects with their job counts
         * @description Counts may lag writes by about a second.
         */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rules
         * @description Returns the imported rules. Jobs reference them by id in `rule_ids`.
         */
        get: operations["listRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles
         * @description Returns the built-in and the imported profiles. Jobs reference them by name in `profile`.
         */
        get: operations["listProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a rule
         * @description Rules are read when a job starts. A job that references the deleted rule and has not started yet fails with `start_failed`. Running jobs are not affected.
         */
        delete: operations["deleteRules"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an imported profile
         * @description If a built-in profile has the same name, it applies again. Built-in profiles and the default profile can't be deleted. Profiles are read when a job starts: a job that references the deleted profile and has not started yet fails with `start_failed`. Running jobs are not affected.
         */
        delete: operations["deleteProfiles"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description Returns the newest version of each template. Jobs are created from one by its name in `template`.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a template
         * @description Returns the newest version of the template, or the one that `version` names.
         */
        get: operations["readTemplates"];
        /**
         * Create or replace a template
         * @description Writes a new version. If nothing changes, no version is written. Members that are absent or null are not set. After a deletion, the numbers of versions continue.
         */
        put: operations["writeTemplates"];
        post?: never;
        /**
         * Delete a template
         * @description No more jobs can be created from it. Jobs that were created from it keep their prompts, and its versions can still be read.
         */
        delete: operations["deleteTemplates"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a template
         * @description Versions are kept permanently, also those of a deleted template.
         */
        get: operations["versionsTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{name}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a job of a template
         * @description Returns the prompts and settings that a job with these parameters would have, without creating it.
         */
        post: operations["renderTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import rules, profiles, and templates
         * @description The import is atomic: if any entry is invalid, nothing changes and `details.faults` lists every fault. Entries that the document does not contain are kept.
         */
        post: operations["importConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export rules, profiles, and templates
         * @description Returns all imported rules, profiles, and templates as a document that can be imported again. It contains the names of secrets, never their values.
         */
        get: operations["exportConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attachments of a job
         * @description When an attempt ends, for any reason, the files in its folder `$PROMPTQ_ATTACHMENTS` are stored: at most 10000 files, 1073741824 bytes each and 5368709120 bytes in total. The job's `warnings` list the files that were not stored. Files are stored byte for byte, without masking secrets.
         */
        get: operations["listAttachments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/attachments/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an attachment
         * @description The file is always sent as a download, so that browsers never display it.
         */
        get: operations["readAttachments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files in a job's folder
         * @description When an attempt ends, a copy of the files in its job's folder is kept, with all secrets in it masked: at most 5000 entries are listed, and 10485760 bytes of a file and 67108864 bytes of all of them are kept. Links are never followed. `.git`, `node_modules` and similar folders are listed by name only. The copy is removed with the job.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/files/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a job's folder
         * @description The file is always sent as a download, so that browsers never display it. The `details` of a 404 say why a file that is listed is not kept.
         */
        get: operations["readFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an empty project
         * @description The project must have no jobs, deploy bindings or diagrams. Its parameters are deleted with it. The token usage of its jobs remains in the statistics. A new job with the same project name creates the project again.
         */
        delete: operations["deleteProjects"];
        options?: never;
        head?: never;
        /**
         * Update a project
         * @description Fields that are absent or null keep their values. Running jobs are not affected.
         */
        patch: operations["editProjects"];
        trace?: never;
    };
    "/api/v1/parameters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the parameters of a project
         * @description Returns the parameters of one project. A project that does not exist has none.
         */
        get: operations["listParameters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parameters/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a parameter of a project
         * @description Every attempt of a job of the project that starts later gets the value in the environment variable `PROMPTQ_PARAM_NAME`, with the name in upper case; running jobs are not affected. A parameter is no place for a secret: a name or value that looks like one is refused. The project is created if there is none.
         */
        put: operations["writeParameters"];
        post?: never;
        /**
         * Delete a parameter of a project
         * @description Attempts that start later do not get it. Running jobs are not affected.
         */
        delete: operations["deleteParameters"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/diagrams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the diagrams of a project
         * @description Returns them without their texts.
         */
        get: operations["listDiagrams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/diagrams/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a diagram
         * @description Returns a diagram with its text.
         */
        get: operations["readDiagrams"];
        /**
         * Create or replace a diagram
         * @description Stores a diagram of a project, which is created if it does not exist. Each job of the project that starts afterwards finds the text in the file `$PROMPTQ_CONTEXT/diagrams/NAME.mmd`.
         */
        put: operations["writeDiagrams"];
        post?: never;
        /**
         * Delete a diagram
         * @description Running jobs keep their file.
         */
        delete: operations["deleteDiagrams"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List automations
         * @description Returns automations with their next instants, their last run and their failures.
         */
        get: operations["listAutomations"];
        put?: never;
        /**
         * Create an automation
         * @description The caller becomes its owner: its jobs have the name and rights of the caller.
         */
        post: operations["createAutomations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an automation
         * @description Returns the automation with its next instants.
         */
        get: operations["readAutomations"];
        put?: never;
        post?: never;
        /**
         * Delete an automation
         * @description Its jobs are kept. Those that run or wait are not affected.
         */
        delete: operations["deleteAutomations"];
        options?: never;
        head?: never;
        /**
         * Update an automation
         * @description Fields that are absent or null keep their values; `trigger` and `job` are replaced as a whole. The caller becomes the owner. `enabled: true` also continues a paused automation. Jobs that it has created are not affected.
         */
        patch: operations["editAutomations"];
        trace?: never;
    };
    "/api/v1/automations/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an automation now
         * @description Creates its job at once, also while it is disabled or paused. Its schedule is not affected. `overlap` applies: with `skip`, the request is rejected while its last job has not ended.
         */
        post: operations["runAutomations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of an automation
         * @description Returns what became of each due instant, the newest first: the job that it created, or why it created none. Kept for 90 days.
         */
        get: operations["runsAutomations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a hook
         * @description Returns the last 50 deliveries, the newest first, with what became of each. Kept for 30 days.
         */
        get: operations["deliveriesAutomations"];
        put?: never;
        /**
         * Send a test delivery to a hook
         * @description Takes the way of a delivery whose signature was right.
         */
        post: operations["deliverAutomations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{id}/deliveries/{delivery}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery of a hook again
         * @description Its stored body is evaluated as a new delivery, by the filter and map that the hook has now.
         */
        post: operations["resendAutomations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a hook
         * @description The old secret is invalid at once. The answer shows the new one, which is not shown again.
         */
        post: operations["secretAutomations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description What happened in the last 30 days, in one order, oldest first. Each change of a job is one event; others concern automations, deployments, accounts and workers. Reading from the same place again gives the same events. With `Accept: text/event-stream`, they are streamed as they come.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description Returns all subscriptions with their health. Secrets are never returned.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Create a subscription
         * @description Sends events that happen from now on, each at least once and those of a job in order. What is not accepted is tried again for 24 hours. At most 100 are allowed.
         */
        post: operations["createSubscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a subscription
         * @description Returns the subscription with its health.
         */
        get: operations["readSubscriptions"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription
         * @description Nothing more is sent, also of what waits to be tried again.
         */
        delete: operations["deleteSubscriptions"];
        options?: never;
        head?: never;
        /**
         * Update a subscription
         * @description Fields that are absent or null keep their values. What waits to be tried again is tried within a minute. `enabled: true` begins with the next event.
         */
        patch: operations["editSubscriptions"];
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test delivery
         * @description Sends a message that says it is a test, once, also while the subscription is disabled. The deliveries show its result.
         */
        post: operations["testSubscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a subscription
         * @description Returns what was sent or is to be tried again, the newest first.
         */
        get: operations["deliveriesSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/{id}/deliveries/{delivery}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Sends it once more, under the same id. The deliveries show the result.
         */
        post: operations["resendSubscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the OpenAPI document
         * @description Returns this document, with the `timeout` unit of the deployment in `info.x-timeout-unit`.
         */
        get: operations["readOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit log entries
         * @description Entries cover the last 90 days, newest first: sign-ins, changes to tokens, configuration, the vendor account, bindings and projects, and actions on jobs. Job creation is not logged here; see the job's `created_by`.
         */
        get: operations["listAuditLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List exports
         * @description Exports of the last 7 days, newest first, without links.
         */
        get: operations["listExports"];
        put?: never;
        /**
         * Start an export
         * @description The file is written in the background, with at most 1000000 rows, and kept for 7 days. At most 2 exports run at a time, and 50 are kept. What only callers with the scope `logs` see of jobs is not in it.
         */
        post: operations["createExports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an export
         * @description Its progress and, once it is done, links to its files. Each call makes new links.
         */
        get: operations["readExports"];
        put?: never;
        post?: never;
        /**
         * Delete an export
         * @description Deletes its files, and stops it if it still runs. Links to them no longer work.
         */
        delete: operations["deleteExports"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the caller
         * @description Returns the identity and permissions of the caller, for every kind of credential.
         */
        get: operations["readSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List browser sessions
         * @description Returns the active sessions of all users, newest first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a browser session
         * @description Takes effect at once: the next request of that browser gets 401.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API tokens
         * @description Returns all tokens, including revoked ones, newest first. The token value is never returned.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an API token
         * @description The token value is returned only once, in this response.
         */
        post: operations["createTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a token
         * @description Requests with a suspended token get 401 until the token is resumed. A revoked token stays revoked.
         */
        post: operations["suspendTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a suspended token
         * @description The token keeps its scopes. A revoked token stays revoked.
         */
        post: operations["resumeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description Revocation is permanent. The token stays in the list.
         */
        post: operations["revokeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        JobCreation: {
            /**
             * @description The prompt. It must contain more than whitespace. Required unless `base_prompt` or `template` is set.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Alias of `prompt`. If both are set, they must be equal. */
            base_prompt?: string | null;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string | null;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string | null;
            /** @description Model to use instead of the model of the profile. */
            model?: string | null;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number | null;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number | null;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[] | null;
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description Id or name of the project. An unknown project is created. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            project_id?: string | null;
            /** @description Alias of `project_id`. */
            project?: string | null;
            /** @description Name of a template, which gives the prompt and the settings that this request does not set. Not together with `prompt`. Later changes of the template do not change the job. */
            template?: string | null;
            /** @description Version of the template. Default: the newest. */
            template_version?: number | null;
            /** @description Values of the parameters of the template, by name. Values are data: braces and markup in them have no meaning. */
            parameters?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Id of an existing job that this one is a copy of, as with "Run again with changes" in the console. */
            copied_from?: string | null;
            /** @description Id of a job to continue. This job becomes the next turn of its thread: it works in the same folder, its agent continues the same session, and it starts when the turns before it have ended. It has the project, profile, model, folder and tags of that job, unless the request sets them. */
            continue?: string | null;
            /** @description Id of a job to fork. This job begins a new thread from a copy of that job: of its folder, and of the session of its agent. It has the project, profile, model and tags of that job, unless the request sets them. Turns of the forked thread wait until the copy is made. Not together with `continue`, or with a `cwd` of either job. */
            fork?: string | null;
            /**
             * @description How the turn before it has to end, if it has not ended yet. `success`: if that turn fails or is cancelled, this job waits until the turn is retried or this job is submitted. Only with `continue`. Default: `success`.
             * @enum {string|null}
             */
            continue_after?: "success" | "any" | null;
            /** @description Works in a new private folder instead of the thread's. The agent is then given the prompts and answers of the thread, since a session belongs to its folder. Only with `continue`. */
            fresh_folder?: boolean | null;
            /** @description A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different. */
            idempotency_key?: string | null;
            /** @description Store the job as a draft. Workers do not start drafts. */
            save_draft?: boolean | null;
            /** @description Alias of `save_draft`. The job is a draft if either is true. */
            draft?: boolean | null;
        };
        JobEdit: {
            /**
             * @description The prompt. It must contain more than whitespace. Without it, the prompt stays as it is.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Alias of `prompt`. If both are set, they must be equal. */
            base_prompt?: string | null;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string | null;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string | null;
            /** @description Model to use instead of the model of the profile. */
            model?: string | null;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number | null;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number | null;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[] | null;
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
        };
        JobReplacement: {
            /** @description The value as read. */
            id?: unknown;
            /** @description The value as read. */
            status?: unknown;
            /** @description The value as read. */
            state_reason?: unknown;
            /** @description The value as read. */
            attempt?: unknown;
            /** @description The value as read. */
            queued_at?: unknown;
            /** @description The value as read. */
            started_at?: unknown;
            /** @description The value as read. */
            finished_at?: unknown;
            /** @description The value as read. */
            updated_at?: unknown;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[] | null;
            /** @description The value as read. */
            agent?: unknown;
            /** @description The value as read. */
            model_used?: unknown;
            /** @description The value as read. */
            timeout_effective_seconds?: unknown;
            /** @description The value as read. */
            copied_from?: unknown;
            /** @description The value as read. */
            thread_id?: unknown;
            /** @description The value as read. */
            turn?: unknown;
            /** @description The value as read. */
            continues?: unknown;
            /** @description The value as read. */
            forked_from?: unknown;
            /** @description The value as read. */
            automation?: unknown;
            /**
             * @description The prompt. It must contain more than whitespace. Without it, the prompt stays as it is.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Alias of `prompt`. If both are set, they must be equal. */
            base_prompt?: string | null;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string | null;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string | null;
            /** @description Model to use instead of the model of the profile. */
            model?: string | null;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number | null;
            /** @description The value as read. */
            timeout_unit?: unknown;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number | null;
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description The value as read. */
            folder?: unknown;
            /** @description The value as read. */
            folder_kept_until?: unknown;
            /** @description The value as read. */
            files_kept_until?: unknown;
            /** @description The value as read. */
            project_id?: unknown;
            /** @description The value as read. */
            project?: unknown;
            /** @description The value as read. */
            idempotency_key?: unknown;
            /** @description The value as read. */
            save_draft?: unknown;
            /** @description The value as read. */
            draft?: unknown;
            /** @description The value as read. */
            created_at?: unknown;
            /** @description The value as read. */
            cancel_requested_at?: unknown;
            /** @description The value as read. */
            created_by?: unknown;
            /** @description The value as read. */
            parent_id?: unknown;
            /** @description The value as read. */
            root_id?: unknown;
            /** @description The value as read. */
            follow_up_ids?: unknown;
            /** @description The value as read. */
            worker_id?: unknown;
            /** @description The value as read. */
            exit_code?: unknown;
            /** @description The value as read. */
            signal?: unknown;
            /** @description The value as read. */
            error?: unknown;
            /** @description The value as read. */
            usage?: unknown;
            /** @description The value as read. */
            session_id?: unknown;
            /** @description The value as read. */
            stdout_bytes?: unknown;
            /** @description The value as read. */
            stderr_bytes?: unknown;
            /** @description The value as read. */
            total_usage?: unknown;
            /** @description The value as read. */
            version?: unknown;
            /** @description The value as read. */
            output_deleted_at?: unknown;
            /** @description The value as read. */
            output_deleted_by?: unknown;
            /** @description The value as read. */
            output_deleted_attempt?: unknown;
            /** @description The value as read. */
            warnings?: unknown;
            /** @description The value as read. */
            deployments?: unknown;
            /** @description The value as read. */
            changes?: unknown;
            /** @description The value as read. */
            template?: unknown;
            /** @description The value as read. */
            resume_from?: unknown;
            /** @description The value as read. */
            question?: unknown;
            /** @description The value as read. */
            progress?: unknown;
            /** @description The value as read. */
            queue?: unknown;
            /** @description The value as read. */
            attempts?: unknown;
        };
        DraftEdit: {
            /**
             * @description The prompt. It must contain more than whitespace. Without it, the prompt stays as it is.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Alias of `prompt`. If both are set, they must be equal. */
            base_prompt?: string | null;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string | null;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string | null;
            /** @description Model to use instead of the model of the profile. */
            model?: string | null;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number | null;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number | null;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[] | null;
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description Id or name of the project. An unknown project is created. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            project_id?: string | null;
            /** @description Alias of `project_id`. */
            project?: string | null;
        };
        Answer: {
            /** @description The `id` of the open question. */
            question_id: string;
            /** @description The answer, up to 16384 bytes. */
            answer: string;
        };
        MessageCreation: {
            /**
             * @description What to tell the agent, at most 32768 bytes.
             * @example Leave the tests as they are.
             */
            text: string;
            /** @description Identifies the message in its job: a repeated request of its sender with the same key adds none and returns its id. */
            idempotency_key?: string | null;
            /** @description Whether the message is only for this job. If not, and if the job succeeds or fails before its agent has the message, it becomes the prompt of the next turn of the thread. */
            only_now?: boolean | null;
        };
        DeployBindingWrite: {
            /** @enum {string} */
            binding_mode: "generic" | "custom" | "hosted_editor" | "web_framework";
            /** @description Id or name of the project. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            project_id?: string | null;
            /** @description Alias of `project_id`. */
            project?: string | null;
            /** @description Name of the binding. Default: the mode. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            name?: string | null;
            /**
             * @description Mode `generic`: https URL that receives the signed call.
             * @example https://ci.example.com/hook
             */
            target_url?: string | null;
            /** @description Mode `generic`: secret that signs the calls, in the format of Standard Webhooks. Default: a generated secret. */
            secret?: string | null;
            /** @description Mode `generic`: generate a new secret. Calls are signed with both secrets for 24 hours. */
            rotate_secret?: boolean | null;
            /** @description Mode `custom`: command that bash runs in the job's working folder when the job has succeeded. */
            command?: string | null;
            /**
             * @description Mode `hosted_editor`: URL template. `{cwd}` and `{project}` are replaced by URL-encoded values; they are not allowed in the scheme, user, host or port.
             * @example https://editor.example.com/?folder={cwd}
             */
            open_url?: string | null;
            /** @description Mode `web_framework`: framework that provides the default commands: `nextjs`, `vite`, `astro`, `django` and others. */
            framework?: string | null;
            /** @description Mode `web_framework`: replaces the default install command. */
            install_command?: string | null;
            /** @description Mode `web_framework`: replaces the default build command. */
            build_command?: string | null;
            /** @description Mode `web_framework`: replaces the default deploy command. */
            deploy_command?: string | null;
            /** @description Modes `custom` and `web_framework`: timeout of each command in seconds. Default: 900. */
            timeout_seconds?: number | null;
        };
        /**
         * @example {
         *       "description": "Upgrades a package.",
         *       "prompt": "Upgrade {{package}} and run the tests.",
         *       "parameters": [
         *         {
         *           "name": "package",
         *           "type": "string",
         *           "pattern": "[a-z0-9@/-]+"
         *         }
         *       ]
         *     }
         */
        TemplateWrite: {
            /** @description What the template is for. Forms and agents show it. */
            description?: string | null;
            /**
             * @description The prompt. `{{name}}` is replaced by the value of a parameter, and `{{"{{"}}` by two braces; `extra_prompt` and `title` have placeholders too. Values are data: braces in them have no meaning. With a profile of the agent `shell` there must be no placeholder in prompts: use `environment`.
             * @example Upgrade {{package}} and run the tests.
             */
            prompt: string;
            /** @description The parameters, in the order in which forms show them. */
            parameters?: components["schemas"]["TemplateParameter"][] | null;
            /** @description Gives the commands of jobs the values as environment variables: `PROMPTQ_PARAM_` and the name of the parameter in capitals. Parameters then need no placeholder. Default: false. */
            environment?: boolean | null;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string | null;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string | null;
            /** @description Model to use instead of the model of the profile. */
            model?: string | null;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number | null;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number | null;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[] | null;
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description Id or name of the project. An unknown project is created with the first job. */
            project?: string | null;
        };
        TemplateParameter: {
            /**
             * @description Identifies the parameter in placeholders and requests.
             * @example package
             */
            name: string;
            /**
             * @description `string`: one line of at most 1000 characters. `text`: any text of at most 20000 characters. `enum`: one of `values`.
             * @example string
             * @enum {string}
             */
            type: "string" | "text" | "number" | "boolean" | "enum";
            description?: string | null;
            /** @description Whether a job needs a value. `false`: without one, the placeholders become empty. Default: true. A parameter with a default always has a value. */
            required?: boolean | null;
            /** @description The value of jobs that give none. A string, number or boolean. */
            default?: string | number | (boolean | null);
            /** @description A value that forms show as an example. */
            example?: string | number | (boolean | null);
            /**
             * @description A regular expression that matches all of a `string`: characters, `.`, classes such as `[a-z0-9]` and `\d`, groups, `|`, and the repetitions `*`, `+`, `?` and `{2,5}`. Other expressions are rejected, since matching them can take exponential time.
             * @example [a-z0-9-]+
             */
            pattern?: string | null;
            /** @description The allowed values of an `enum`. */
            values?: string[] | null;
        };
        RenderRequest: {
            /** @description Default: the newest. */
            template_version?: number | null;
            /** @description Values by the names of parameters. */
            parameters?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Instead of the template's. */
            profile?: string | null;
            /** @description Instead of the template's. Its parameters are defaults. */
            project?: string | null;
        };
        ConfigDocument: {
            rules?: components["schemas"]["RuleEntry"][] | null;
            profiles?: components["schemas"]["ProfileEntry"][] | null;
            templates?: components["schemas"]["TemplateEntry"][] | null;
        };
        RuleEntry: {
            /** @description Identifies the rule in the `rule_ids` of jobs. */
            id: string;
            /** @description Display name. Default: the id. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            name?: string | null;
            /** @description Text that is put before the prompt of a job. */
            text: string;
        };
        ProfileEntry: {
            /** @description Identifies the profile in the `profile` of jobs. */
            name: string;
            /**
             * @description Agent CLI that runs the prompt. `shell` runs the prompt as a bash script.
             * @enum {string}
             */
            agent: "codex" | "claude" | "shell";
            /** @description Model of jobs that set none. */
            model?: string | null;
            /** @description Additional command line arguments of the agent. */
            args?: string[] | null;
            /** @description Additional environment variables of the agent. A value is a string or the name of a secret, never the value of the secret. A secret stored for this profile takes precedence over one that all profiles share. The commands that an agent runs see the strings, and a secret only with `"commands": true`; a script, the setup of a repository and the commands of deploy bindings see all of them. Names that are not allowed: `PROMPTQ_*`, `AWS_*`, `LD_*`, `DYLD_*`, `GLIBC_TUNABLES`, `GCONV_PATH`, `LOCPATH`, `BASH_ENV`, `ENV`, `SHELLOPTS`, `PS4`, `NODE_OPTIONS`, `PERL5OPT`, `PERL5LIB`, `PERL5DB`, `PYTHONSTARTUP`, `RUBYOPT`, `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`, `_JAVA_OPTIONS`. */
            env?: {
                [key: string]: string | {
                    secret: string;
                    commands?: boolean;
                };
            } | null;
            /**
             * @description Sandbox of the agent CLI. `none` (default): the container is the sandbox. AWS accepts only `none`, because the sandboxes of the CLIs need user namespaces, which Fargate does not provide.
             * @enum {string|null}
             */
            sandbox?: "workspace-write" | "read-only" | "none" | null;
            /** @description Timeout of jobs that set none, per attempt, in the unit of the deployment. */
            timeout?: number | null;
            /** @description Retries of jobs that set none. */
            retries?: number | null;
            /** @description Maximum number of jobs of this profile that run at a time, across all workers. Other jobs wait with the reason `profile_busy`. Absent: no limit. A lower value does not stop running jobs. */
            concurrency?: number | null;
            /**
             * @description Whether an attempt continues the session of the one before if that was interrupted by a usage limit, a missing account, the loss of its worker or a stop of its worker. `never`: every attempt starts from the prompt. Default: `auto`.
             * @enum {string|null}
             */
            resume?: "auto" | "never" | null;
            /**
             * @description How the agent CLI is run. `auto` (default): so that it takes messages while it runs, by the app server of codex, if `args` has only options that set its configuration, and by streamed input of claude. `exec`: it gets nothing but its prompt.
             * @enum {string|null}
             */
            drive?: "auto" | "exec" | null;
            /**
             * @description Whether the agent gets the tools of Promptq while it runs, for example to report its progress. Agent `shell` gets none. Default: `on`.
             * @enum {string|null}
             */
            tools?: "on" | "off" | null;
            /**
             * @description Whether blocks `follow-up-job` become jobs: those in the final message of an agent, or on the stdout of a script. Default: `on`; for agent `shell` `off`, because a script prints what others wrote.
             * @enum {string|null}
             */
            follow_ups?: "on" | "off" | null;
            /** @description Profiles that jobs of this profile may give to the jobs that they start, by the tool `create_job` or by follow-up blocks, besides this one. Default: none. */
            children?: string[] | null;
            /**
             * @description `practice`: the stand-in vendor of the local run.
             * @enum {string|null}
             */
            vendor?: "own" | "practice" | null;
        };
        /**
         * @example {
         *       "name": "upgrade",
         *       "description": "Upgrades a package.",
         *       "prompt": "Upgrade {{package}} and run the tests.",
         *       "parameters": [
         *         {
         *           "name": "package",
         *           "type": "string",
         *           "pattern": "[a-z0-9@/-]+"
         *         }
         *       ]
         *     }
         */
        TemplateEntry: {
            /**
             * @description Identifies the template in the `template` of jobs.
             * @example upgrade
             */
            name: string;
            /** @description What the template is for. Forms and agents show it. */
            description?: string | null;
            /**
             * @description The prompt. `{{name}}` is replaced by the value of a parameter, and `{{"{{"}}` by two braces; `extra_prompt` and `title` have placeholders too. Values are data: braces in them have no meaning. With a profile of the agent `shell` there must be no placeholder in prompts: use `environment`.
             * @example Upgrade {{package}} and run the tests.
             */
            prompt: string;
            /** @description The parameters, in the order in which forms show them. */
            parameters?: components["schemas"]["TemplateParameter"][] | null;
            /** @description Gives the commands of jobs the values as environment variables: `PROMPTQ_PARAM_` and the name of the parameter in capitals. Parameters then need no placeholder. Default: false. */
            environment?: boolean | null;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string | null;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string | null;
            /** @description Model to use instead of the model of the profile. */
            model?: string | null;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number | null;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number | null;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[] | null;
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description Id or name of the project. An unknown project is created with the first job. */
            project?: string | null;
        };
        ProjectEdit: {
            /**
             * @description URL of a git repository: https, without credentials. In a local run also the path of a repository on that machine, in a folder that its user has opened to jobs. Each job of the project that sets no `cwd` then works in a new git worktree. Empty: none.
             * @example https://git.example.com/team/app.git
             */
            repository?: string | null;
            /** @description Branch, tag, whole id of a commit or another ref, such as `refs/pull/7/head`, at which worktrees start. Empty: the default branch of the repository. */
            ref?: string | null;
            /** @description Shell command that runs once in each new worktree, before the agent, by `bash -e -o pipefail`. Empty: none. */
            setup?: string | null;
            /** @description Name of the secret that gives read access to the repository: letters, digits and `_`. Its value has the form `https://USER:TOKEN@HOST`, and it is used only for that host. Empty: none. */
            secret?: string | null;
            /** @description Whether only one job, including its deploy commands, can use a folder at a time. Other jobs with the same `cwd` wait. */
            exclusive_cwd?: boolean | null;
        };
        ParameterWrite: {
            /**
             * @description A text. What looks like a secret is refused, because every reader sees it.
             * @example eu-central-1
             */
            value: string;
            /** @description What it is for. Absent: unchanged. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            description?: "" | (string | null);
        };
        DiagramWrite: {
            /**
             * @description Mermaid text, at most 65536 bytes. Its syntax is not checked.
             * @example flowchart LR
             *       Order --> Invoice
             */
            text: string;
            /** @description Id of the job that made the diagram. Default: unchanged, or none. */
            source_job?: string | null;
        };
        AutomationCreation: {
            /**
             * @description Its name, which cannot be changed, and from which its id is derived. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Nightly dependency update
             */
            name: string;
            /** @description Id or name of the project of its jobs. Default: that of its template, or `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            project?: string | null;
            /**
             * @description What starts its jobs: exactly one of `schedule`, `hook` and `event`.
             * @example {
             *       "schedule": {
             *         "cron": "0 3 * * MON-FRI",
             *         "timezone": "Europe/Berlin"
             *       }
             *     }
             */
            trigger: {
                schedule?: {
                    /**
                     * @description Cron expression of five fields: minute, hour, day of the month, month, weekday. Or a nickname: `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Either `cron` or `every` is required.
                     * @example 0 3 * * MON-FRI
                     */
                    cron?: string | null;
                    /** @description Interval in minutes, hours or days, counted from when it was set: `30m`, `6h`, `2d`. */
                    every?: string | null;
                    /**
                     * @description IANA time zone in which `cron` is evaluated and times are shown. Default: `UTC`.
                     * @example Europe/Berlin
                     */
                    timezone?: string | null;
                } | null;
                hook?: {
                    verify: {
                        /**
                         * @description How deliveries prove that they are from the sender.
                         * @enum {string}
                         */
                        style: "standard_webhooks" | "hmac" | "github" | "gitlab" | "slack" | "header_secret";
                        /** @description The header with the signature (`hmac`) or the secret (`header_secret`), which need it. */
                        header?: string | null;
                        /** @description What is before the signature in the header, such as `sha256=`. Only for `hmac`. */
                        prefix?: string | null;
                        /**
                         * @description How the signature is written. Only for `hmac`. Default: `hex`.
                         * @enum {string|null}
                         */
                        encoding?: "hex" | "base64" | null;
                    };
                    /** @description Conditions on the body. Deliveries that do not meet all of them create no job. */
                    filter?: {
                        pointer: string;
                        /** @description The values that pass. They are compared as text. */
                        one_of: (string | number | boolean | (null))[];
                    }[] | null;
                    /** @description The values of the body that the prompt gets, as JSON Pointers by name. Default: the whole body. */
                    map?: {
                        [key: string]: string;
                    } | null;
                    /** @description Where the sender writes the id of a delivery, by which repeated ones are recognized: a header, or a JSON Pointer into the body. Default: where the style has it. */
                    delivery_id?: {
                        header?: string | null;
                        pointer?: string | null;
                    } | null;
                    /** @description It creates drafts, which a person submits. Default: false. */
                    drafts?: boolean | null;
                } | null;
                event?: {
                    /**
                     * @description Types of the events that start a job.
                     * @example [
                     *       "job.succeeded"
                     *     ]
                     */
                    types: ("job.succeeded" | "job.failed" | "job.cancelled" | "question.opened" | "deployment.succeeded" | "deployment.failed")[];
                    /** @description Only events that fit all its members. Default: all. */
                    filter?: {
                        /** @description Only events of the project with this id or name. */
                        project?: string | null;
                        /** @description Only events of jobs with this profile. */
                        profile?: string | null;
                        /** @description Only events of jobs that were created from this template. */
                        template?: string | null;
                        /** @description Only events of jobs that the automation with this id created. */
                        automation?: string | null;
                        /** @description Only events of jobs that this token or person created. */
                        creator?: string | null;
                    } | null;
                } | null;
            };
            /** @description The job that it creates: the fields of `POST /jobs`. In the prompt, and in values of `parameters`, `{{due_at}}`, `{{last_success_at}}` and `{{timezone}}` are replaced. `last_success_at` is `never` before the first success. The data of a hook, or an event, is added below the prompt as a quotation. Of an event, `{{event.id}}`, `{{event.type}}`, `{{event.time}}`, `{{event.job_id}}` and `{{event.question_id}}` are replaced, too. */
            job: {
                /**
                 * @description The prompt. It must contain more than whitespace. Either `prompt` or `template` is required.
                 * @example Update the dependencies and run the tests.
                 */
                prompt?: string | null;
                /** @description Text that is added after the prompt. */
                extra_prompt?: string | null;
                /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
                rule_ids?: string[] | null;
                /** @description Name of an execution profile. Default: the default profile of the deployment. */
                profile?: string | null;
                /** @description Model to use instead of the model of the profile. */
                model?: string | null;
                /**
                 * Format: int64
                 * @description Jobs with a higher priority start earlier. Default: 0.
                 * @example 0
                 */
                priority?: number | null;
                /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
                timeout?: number | null;
                /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
                retries?: number | null;
                /**
                 * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
                 * @example Greeting
                 */
                title?: string | null;
                /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
                tags?: string[] | null;
                /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
                cwd?: string | null;
                /** @description Name of a template, which gives the prompt and the settings that are not set here. If it is deleted later, runs fail with that reason. */
                template?: string | null;
                /** @description Version of the template. Default: the newest when a job is created. */
                template_version?: number | null;
                /** @description Values of the parameters of the template, by name. Values are data: braces and markup in them have no meaning. */
                parameters?: {
                    [key: string]: string | number | boolean;
                } | null;
            };
            /**
             * @description What happens if it is due before its last job has ended. `skip`: nothing. `queue`: one job waits until the other has ended. `replace`: the other job is cancelled first. Default: `skip`; of a hook or event `queue`, with which several jobs wait.
             * @enum {string|null}
             */
            overlap?: "skip" | "queue" | "replace" | null;
            /**
             * @description Instants that the service could not evaluate within 300 s. `skip`: none is made up for. `latest`: the last one is. `all`: up to 100 are, one after the other. Default: `latest`.
             * @enum {string|null}
             */
            missed?: "skip" | "latest" | "all" | null;
            /** @description Its jobs start up to so many seconds after the due instant. The delay is always the same for one automation, so that many do not start at once. Default: 0. */
            jitter?: number | null;
            /** @description Pauses it when so many of its jobs in a row have failed. 0: never. Default: 5. */
            pause_after_failures?: number | null;
            /** @description Default: true. Enabling it computes the next instant from now. */
            enabled?: boolean | null;
            /**
             * Format: date-time
             * @description It is not due after this time. Empty: no end.
             */
            enabled_until?: string | null;
        };
        AutomationEdit: {
            /** @description Id or name of the project of its jobs. Default: that of its template, or `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            project?: string | null;
            /**
             * @description What starts its jobs: exactly one of `schedule`, `hook` and `event`.
             * @example {
             *       "schedule": {
             *         "cron": "0 3 * * MON-FRI",
             *         "timezone": "Europe/Berlin"
             *       }
             *     }
             */
            trigger?: {
                schedule?: {
                    /**
                     * @description Cron expression of five fields: minute, hour, day of the month, month, weekday. Or a nickname: `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Either `cron` or `every` is required.
                     * @example 0 3 * * MON-FRI
                     */
                    cron?: string | null;
                    /** @description Interval in minutes, hours or days, counted from when it was set: `30m`, `6h`, `2d`. */
                    every?: string | null;
                    /**
                     * @description IANA time zone in which `cron` is evaluated and times are shown. Default: `UTC`.
                     * @example Europe/Berlin
                     */
                    timezone?: string | null;
                } | null;
                hook?: {
                    verify: {
                        /**
                         * @description How deliveries prove that they are from the sender.
                         * @enum {string}
                         */
                        style: "standard_webhooks" | "hmac" | "github" | "gitlab" | "slack" | "header_secret";
                        /** @description The header with the signature (`hmac`) or the secret (`header_secret`), which need it. */
                        header?: string | null;
                        /** @description What is before the signature in the header, such as `sha256=`. Only for `hmac`. */
                        prefix?: string | null;
                        /**
                         * @description How the signature is written. Only for `hmac`. Default: `hex`.
                         * @enum {string|null}
                         */
                        encoding?: "hex" | "base64" | null;
                    };
                    /** @description Conditions on the body. Deliveries that do not meet all of them create no job. */
                    filter?: {
                        pointer: string;
                        /** @description The values that pass. They are compared as text. */
                        one_of: (string | number | boolean | (null))[];
                    }[] | null;
                    /** @description The values of the body that the prompt gets, as JSON Pointers by name. Default: the whole body. */
                    map?: {
                        [key: string]: string;
                    } | null;
                    /** @description Where the sender writes the id of a delivery, by which repeated ones are recognized: a header, or a JSON Pointer into the body. Default: where the style has it. */
                    delivery_id?: {
                        header?: string | null;
                        pointer?: string | null;
                    } | null;
                    /** @description It creates drafts, which a person submits. Default: false. */
                    drafts?: boolean | null;
                } | null;
                event?: {
                    /**
                     * @description Types of the events that start a job.
                     * @example [
                     *       "job.succeeded"
                     *     ]
                     */
                    types: ("job.succeeded" | "job.failed" | "job.cancelled" | "question.opened" | "deployment.succeeded" | "deployment.failed")[];
                    /** @description Only events that fit all its members. Default: all. */
                    filter?: {
                        /** @description Only events of the project with this id or name. */
                        project?: string | null;
                        /** @description Only events of jobs with this profile. */
                        profile?: string | null;
                        /** @description Only events of jobs that were created from this template. */
                        template?: string | null;
                        /** @description Only events of jobs that the automation with this id created. */
                        automation?: string | null;
                        /** @description Only events of jobs that this token or person created. */
                        creator?: string | null;
                    } | null;
                } | null;
            } | null;
            /** @description The job that it creates: the fields of `POST /jobs`. In the prompt, and in values of `parameters`, `{{due_at}}`, `{{last_success_at}}` and `{{timezone}}` are replaced. `last_success_at` is `never` before the first success. The data of a hook, or an event, is added below the prompt as a quotation. Of an event, `{{event.id}}`, `{{event.type}}`, `{{event.time}}`, `{{event.job_id}}` and `{{event.question_id}}` are replaced, too. */
            job?: {
                /**
                 * @description The prompt. It must contain more than whitespace. Either `prompt` or `template` is required.
                 * @example Update the dependencies and run the tests.
                 */
                prompt?: string | null;
                /** @description Text that is added after the prompt. */
                extra_prompt?: string | null;
                /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
                rule_ids?: string[] | null;
                /** @description Name of an execution profile. Default: the default profile of the deployment. */
                profile?: string | null;
                /** @description Model to use instead of the model of the profile. */
                model?: string | null;
                /**
                 * Format: int64
                 * @description Jobs with a higher priority start earlier. Default: 0.
                 * @example 0
                 */
                priority?: number | null;
                /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
                timeout?: number | null;
                /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
                retries?: number | null;
                /**
                 * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
                 * @example Greeting
                 */
                title?: string | null;
                /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
                tags?: string[] | null;
                /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
                cwd?: string | null;
                /** @description Name of a template, which gives the prompt and the settings that are not set here. If it is deleted later, runs fail with that reason. */
                template?: string | null;
                /** @description Version of the template. Default: the newest when a job is created. */
                template_version?: number | null;
                /** @description Values of the parameters of the template, by name. Values are data: braces and markup in them have no meaning. */
                parameters?: {
                    [key: string]: string | number | boolean;
                } | null;
            } | null;
            /**
             * @description What happens if it is due before its last job has ended. `skip`: nothing. `queue`: one job waits until the other has ended. `replace`: the other job is cancelled first. Default: `skip`; of a hook or event `queue`, with which several jobs wait.
             * @enum {string|null}
             */
            overlap?: "skip" | "queue" | "replace" | null;
            /**
             * @description Instants that the service could not evaluate within 300 s. `skip`: none is made up for. `latest`: the last one is. `all`: up to 100 are, one after the other. Default: `latest`.
             * @enum {string|null}
             */
            missed?: "skip" | "latest" | "all" | null;
            /** @description Its jobs start up to so many seconds after the due instant. The delay is always the same for one automation, so that many do not start at once. Default: 0. */
            jitter?: number | null;
            /** @description Pauses it when so many of its jobs in a row have failed. 0: never. Default: 5. */
            pause_after_failures?: number | null;
            /** @description Default: true. Enabling it computes the next instant from now. */
            enabled?: boolean | null;
            /**
             * Format: date-time
             * @description It is not due after this time. Empty: no end.
             */
            enabled_until?: string | null;
        };
        HookTestDelivery: {
            /** @description The body, as JSON text. */
            body: string;
        };
        HookSecretChange: {
            /** @description The secret that the sender made, as with Slack. Default: a new one is made. */
            secret?: string | null;
        };
        SubscriptionCreation: {
            /**
             * @description Its name, which cannot be changed, and from which its id is derived. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example On call
             */
            name: string;
            /**
             * @description Where it sends: exactly one of webhook, telegram, slack, email.
             * @example {
             *       "webhook": {
             *         "url": "https://hooks.example.com/promptq"
             *       }
             *     }
             */
            target: {
                /** @description Signed calls in the format of Standard Webhooks. */
                webhook?: {
                    /**
                     * @description https URL that receives the signed calls.
                     * @example https://hooks.example.com/promptq
                     */
                    url: string;
                    /** @description Secret that signs the calls, in the format of Standard Webhooks. Default: a generated secret. When it changes, calls are signed with both for a day. */
                    secret?: string | null;
                } | null;
                /** @description Messages of a bot of Telegram, which `answers_from` can answer. */
                telegram?: {
                    /** @description Token of the bot. Default on a change: the one that it has. */
                    bot_token?: string | null;
                    /**
                     * @description Id of the chat or group, in which the bot is.
                     * @example -1001234567890
                     */
                    chat_id: string;
                } | null;
                /** @description Messages in a channel of Slack. */
                slack?: {
                    /**
                     * @description Address of an incoming webhook, which only tells. Instead of the other three.
                     * @example https://hooks.slack.com/services/T000/B000/KEY
                     */
                    webhook_url?: string | null;
                    /** @description Token of a bot with the scope `chat:write`. */
                    bot_token?: string | null;
                    /**
                     * @description Where the bot posts: the id of a channel, or `#` and its name.
                     * @example C0123456789
                     */
                    channel?: string | null;
                    /** @description The app's signing secret, by which presses of buttons are known to be Slack's. */
                    signing_secret?: string | null;
                } | null;
                /** @description Mails by SES, from the address that the deployment sets. */
                email?: {
                    /**
                     * @description Recipients, who see each other.
                     * @example [
                     *       "ada@example.com"
                     *     ]
                     */
                    to: string[];
                } | null;
            };
            /** @description Types of the events that are sent. Default: question.opened, job.failed, account.required, account.limit, automation.paused. */
            events?: ("job.created" | "job.removed" | "job.succeeded" | "job.failed" | "job.cancelled" | "attempt.started" | "question.opened" | "question.answered" | "question.expired" | "question.withdrawn" | "attempt.ended" | "job.queued" | "message.accepted" | "output.deleted" | "cancel.requested" | "job.waiting" | "job.ready" | "job.updated" | "deployment.succeeded" | "deployment.failed" | "automation.paused" | "automation.failed" | "automation.skipped" | "automation.late" | "account.required" | "account.limit" | "account.linked" | "worker.launch_failed")[] | null;
            /** @description Only events that fit all its members. It is replaced as a whole. Default: all. */
            filter?: {
                /** @description Only events of the project with this id or name. */
                project?: string | null;
                /** @description Only events of jobs with this profile. */
                profile?: string | null;
                /** @description Only events of jobs that were created from this template. */
                template?: string | null;
                /** @description Only events of jobs that the automation with this id created. */
                automation?: string | null;
                /** @description Only events of jobs that this token or person created. */
                creator?: string | null;
            } | null;
            /**
             * @description `none`: each event is sent at once. `hourly`: one message after each full hour in which something happened, with at most 200 events. Default: `none`.
             * @enum {string|null}
             */
            digest?: "none" | "hourly" | null;
            /** @description Ids of the persons who may answer questions in the messenger. Default: nobody. */
            answers_from?: string[] | null;
            /** @description Default: true. Events that happen while it is disabled are not sent later. */
            enabled?: boolean | null;
        };
        SubscriptionEdit: {
            /**
             * @description It is replaced as a whole; secrets that are left out keep their values while its kind stays.
             * @example {
             *       "webhook": {
             *         "url": "https://hooks.example.com/promptq"
             *       }
             *     }
             */
            target?: {
                /** @description Signed calls in the format of Standard Webhooks. */
                webhook?: {
                    /**
                     * @description https URL that receives the signed calls.
                     * @example https://hooks.example.com/promptq
                     */
                    url: string;
                    /** @description Secret that signs the calls, in the format of Standard Webhooks. Default: a generated secret. When it changes, calls are signed with both for a day. */
                    secret?: string | null;
                } | null;
                /** @description Messages of a bot of Telegram, which `answers_from` can answer. */
                telegram?: {
                    /** @description Token of the bot. Default on a change: the one that it has. */
                    bot_token?: string | null;
                    /**
                     * @description Id of the chat or group, in which the bot is.
                     * @example -1001234567890
                     */
                    chat_id: string;
                } | null;
                /** @description Messages in a channel of Slack. */
                slack?: {
                    /**
                     * @description Address of an incoming webhook, which only tells. Instead of the other three.
                     * @example https://hooks.slack.com/services/T000/B000/KEY
                     */
                    webhook_url?: string | null;
                    /** @description Token of a bot with the scope `chat:write`. */
                    bot_token?: string | null;
                    /**
                     * @description Where the bot posts: the id of a channel, or `#` and its name.
                     * @example C0123456789
                     */
                    channel?: string | null;
                    /** @description The app's signing secret, by which presses of buttons are known to be Slack's. */
                    signing_secret?: string | null;
                } | null;
                /** @description Mails by SES, from the address that the deployment sets. */
                email?: {
                    /**
                     * @description Recipients, who see each other.
                     * @example [
                     *       "ada@example.com"
                     *     ]
                     */
                    to: string[];
                } | null;
            } | null;
            /** @description Generate a new secret for a `webhook`. Calls are signed with both for a day. */
            rotate_secret?: boolean | null;
            /** @description Types of the events that are sent. Default: question.opened, job.failed, account.required, account.limit, automation.paused. */
            events?: ("job.created" | "job.removed" | "job.succeeded" | "job.failed" | "job.cancelled" | "attempt.started" | "question.opened" | "question.answered" | "question.expired" | "question.withdrawn" | "attempt.ended" | "job.queued" | "message.accepted" | "output.deleted" | "cancel.requested" | "job.waiting" | "job.ready" | "job.updated" | "deployment.succeeded" | "deployment.failed" | "automation.paused" | "automation.failed" | "automation.skipped" | "automation.late" | "account.required" | "account.limit" | "account.linked" | "worker.launch_failed")[] | null;
            /** @description Only events that fit all its members. It is replaced as a whole. Default: all. */
            filter?: {
                /** @description Only events of the project with this id or name. */
                project?: string | null;
                /** @description Only events of jobs with this profile. */
                profile?: string | null;
                /** @description Only events of jobs that were created from this template. */
                template?: string | null;
                /** @description Only events of jobs that the automation with this id created. */
                automation?: string | null;
                /** @description Only events of jobs that this token or person created. */
                creator?: string | null;
            } | null;
            /**
             * @description `none`: each event is sent at once. `hourly`: one message after each full hour in which something happened, with at most 200 events. Default: `none`.
             * @enum {string|null}
             */
            digest?: "none" | "hourly" | null;
            /** @description Ids of the persons who may answer questions in the messenger. Default: nobody. */
            answers_from?: string[] | null;
            /** @description Default: true. Events that happen while it is disabled are not sent later. */
            enabled?: boolean | null;
        };
        /**
         * @example {
         *       "kind": "jobs",
         *       "format": "csv",
         *       "filter": {
         *         "project": "web"
         *       }
         *     }
         */
        ExportCreation: {
            /**
             * @description `jobs`: the entries of the list of jobs. `attempts`: the newest attempts of these jobs. `usage`: tokens and cost of each job that reported any. `messages`: the messages to these jobs. `audit`: entries of the audit log.
             * @enum {string}
             */
            kind: "jobs" | "attempts" | "usage" | "messages" | "audit";
            /**
             * @description `jsonl`: a JSON object a line. `csv`: for spreadsheets, with a file in `jsonl` beside it, which programs should read.
             * @enum {string}
             */
            format: "jsonl" | "csv";
            /** @description As in the list of jobs, or, for `audit`, `actor`, `action`, `created_after` and `created_before`. All conditions apply. */
            filter?: {
                /**
                 * @description Only jobs with this status.
                 * @enum {string|null}
                 */
                status?: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null;
                /**
                 * @description `answer`: only jobs with an open question of their agent: those that are QUEUED for the answer, and RUNNING ones whose agent still waits for a quick one.
                 * @enum {string|null}
                 */
                needs?: "answer" | null;
                /** @description Only jobs that contain all of these words, in any order and regardless of case and of how letters are composed (Unicode NFKC). The search covers title, tags, project, cwd and the first 8000 characters of the prompt texts, and for words of 6 characters or more also the id. Text in double quotes counts as one word. */
                search?: string | null;
                /** @description Only jobs with this working folder, as requested or as resolved. */
                cwd?: string | null;
                /** @description Only jobs of the project with this id or name. */
                project?: string | null;
                /** @description Only jobs with this profile. */
                profile?: string | null;
                /**
                 * @description Only jobs that this agent ran or will run.
                 * @enum {string|null}
                 */
                agent?: "codex" | "claude" | "shell" | null;
                /** @description Only jobs that request this model or whose newest attempt used it. */
                model?: string | null;
                /** @description Only jobs with this `created_by`. */
                created_by?: string | null;
                /** @description Only jobs with this tag. */
                tag?: string | null;
                /** @description Only jobs that were created from the template with this name. */
                template?: string | null;
                /** @description Only jobs that the automation with this id or name created. */
                automation?: string | null;
                /** @description Only jobs of the thread with this id, the id of its first job. Drafts have no turn and are left out. Not with `search`. */
                thread?: string | null;
                /** @description Only the job with this id and its descendants. Not with `search` or `thread`. */
                tree?: string | null;
                /**
                 * Format: date-time
                 * @description Only jobs created at this time or later.
                 */
                created_after?: string | null;
                /**
                 * Format: date-time
                 * @description Only jobs created before this time.
                 */
                created_before?: string | null;
                /** @description Only entries of this principal, such as `token:ci`, `user:ada@example.com` or `job:` and the id of a job. */
                actor?: string | null;
                /** @description Only entries with this action, such as `jobs.cancel`. */
                action?: string | null;
            } | null;
        };
        TokenCreation: {
            /**
             * @description Name that describes the purpose of the token. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example nightly build
             */
            name: string;
            /** @description Default: read, write. `admin` grants everything. */
            scopes?: ("read" | "write" | "logs" | "attachments" | "admin")[] | null;
            /**
             * Format: date-time
             * @description A time in the future, in RFC 3339. Default: never.
             * @example 2027-01-01T00:00:00Z
             */
            expires_at?: string | null;
            /** @description Id of a token that this one replaces. The idempotency keys that were used with that token are also those of the new one. That token stays as it is: revoke it once it is no longer used. */
            replaces?: string | null;
        };
        /**
         * @description Why the job is in its state. Always present. After a rollback, `code` and the status of a job can have values that only a later version documents.
         * @example {
         *       "code": "exited",
         *       "message": "The process ended.",
         *       "retryable": false
         *     }
         */
        StateReason: {
            /** @enum {string} */
            code: "draft" | "waiting_for_worker" | "retry_backoff" | "worker_lost" | "account_required" | "usage_limit" | "vendor_overloaded" | "folder_busy" | "profile_busy" | "automation_busy" | "question" | "waiting_for_thread" | "thread_stopped" | "running" | "cancelling" | "cancelled_by_request" | "killed_by_request" | "exited" | "agent_error" | "not_answered" | "timed_out" | "start_failed" | "session_lost" | "output_limit";
            /**
             * @description A sentence. Why an attempt failed is part of it only with the scope `logs`.
             * @example Waiting for a free worker.
             */
            message: string;
            /** @description Whether the job continues without a request. */
            retryable: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            next_check_at?: string;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "degraded";
            /** @example 0.1.0 */
            version: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            status_counts: components["schemas"]["StatusCounts"];
            checks: {
                table: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong, and what to do. */
                    message?: string;
                };
                queues: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong, and what to do. */
                    message?: string;
                };
                storage: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong, and what to do. */
                    message?: string;
                };
                workers: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong, and what to do. */
                    message?: string;
                    live?: number;
                };
            };
        };
        /**
         * @example {
         *       "DRAFT": 1,
         *       "QUEUED": 3,
         *       "RUNNING": 2,
         *       "SUCCEEDED": 120,
         *       "FAILED": 4,
         *       "CANCELLED": 0
         *     }
         */
        StatusCounts: {
            DRAFT: number;
            QUEUED: number;
            RUNNING: number;
            SUCCEEDED: number;
            FAILED: number;
            CANCELLED: number;
        };
        /** @description An error. `error` is a fixed word or a sentence. */
        Error: {
            error: string;
            details?: {
                [key: string]: unknown;
            };
            request_id: string;
        };
        Environment: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            /** @description Workers that reported in the last 45 seconds. */
            hosts: components["schemas"]["Host"][];
            service: {
                /** @description AWS region, or `local` for the local run. */
                region: string;
                version: string;
                node_version: string;
                timeout_unit: string;
                default_profile: string;
                scope_enforcement: boolean;
                max_body_bytes: number;
                /** @description All limits that apply to clients. Names in camelCase are deprecated; use the snake_case names. */
                limits: {
                    [key: string]: unknown;
                };
            };
            profiles: {
                name: string;
                /** @enum {string} */
                agent: "codex" | "claude" | "shell";
                model: string | null;
                is_default: boolean;
                /** @enum {string} */
                source: "built_in" | "imported";
            }[];
            /** @description Models that profiles name or jobs have used. */
            models: string[];
            projects: {
                items: {
                    id: string;
                    name: string;
                    job_counts: components["schemas"]["StatusCounts"];
                }[];
                /** @description Whether there are more projects than `items`. `GET /projects` lists all. */
                more: boolean;
            };
            jobs: components["schemas"]["StatusCounts"];
            token_usage: {
                today: components["schemas"]["TokenSums"];
                last_30_days: components["schemas"]["TokenSums"];
            };
        };
        Host: {
            worker_id: string;
            host: string;
            version: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            seen_at: string;
            /** @description Maximum number of jobs that the worker runs at a time. */
            slots: number;
            running_job_ids: string[];
            cpu: {
                count: number;
                /** @description Load average of the host over the last minute. */
                load_1m: number;
                architecture: string;
            } | null;
            memory: {
                total_bytes: number;
                free_bytes: number;
            } | null;
            /** @description Disk of the work folder. */
            storage: {
                total_bytes: number;
                free_bytes: number;
            } | null;
            node_version: string | null;
            platform: string | null;
        };
        /** @description Token usage of all attempts, including failed ones. */
        TokenSums: {
            input_tokens: number;
            cached_input_tokens: number;
            output_tokens: number;
            reasoning_output_tokens: number;
            /** @description Cost of the agents whose CLI reports it. */
            cost_usd: number;
        };
        Platform: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            version: string;
            /** @description Null: not known. */
            commit: string | null;
            /** @description AWS region, or `local` for the local run. */
            region: string;
            agents: components["schemas"]["PlatformAgent"][];
            /** @description Models that profiles name or jobs have used. */
            models: components["schemas"]["PlatformModel"][];
            /** @description All limits that apply to clients, in bytes and seconds unless the name says otherwise. */
            limits: {
                [key: string]: unknown;
            };
            /** @description What a deployment can turn on and off, and how it is set here. */
            features: components["schemas"]["PlatformFeature"][];
            /** @description Where data is stored. */
            stores: components["schemas"]["PlatformStore"][];
            /** @description What this version does not have, and why. */
            missing: components["schemas"]["PlatformGap"][];
        };
        PlatformAgent: {
            /** @enum {string} */
            name: "codex" | "claude" | "shell";
            /** @description Whether the workers have it, by the settings of the deployment. */
            installed: boolean;
            /** @description Versions of the CLI that live workers report. Empty while no worker runs, or if they do not know. */
            versions: string[];
            /** @description Characters of a composed prompt. Null: no limit. */
            max_prompt_length: number | null;
            capabilities: {
                /** @description Whether another attempt or turn continues its session. */
                resume: boolean;
                /** @description Whether it takes messages while it runs. */
                steer: boolean;
                /** @description Whether it has tools, such as the one that asks people. */
                ask: boolean;
                /** @description Whether a job can ask for JSON of a schema. */
                schema: boolean;
                /** @description Whether its requests to models go through the service. */
                gateway: boolean;
            };
        };
        PlatformModel: {
            name: string;
            /** @description US dollars for a million tokens. Null: not known. */
            price: {
                input: number;
                cached_input: number;
                output: number;
            } | null;
        };
        PlatformFeature: {
            name: string;
            on: boolean;
            detail: string;
        };
        PlatformStore: {
            name: string;
            service: string;
            region: string;
            holds: string;
        };
        PlatformGap: {
            name: string;
            reason: string;
        };
        Stats: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            statuses: components["schemas"]["StatusCounts"];
            jobs: {
                total: number;
                by_status: components["schemas"]["StatusCounts"];
                /** @description Statistics of the jobs that ended in the last 30 days. */
                last_30_days: {
                    succeeded: number;
                    failed: number;
                    cancelled: number;
                    /** @description Share of succeeded jobs among succeeded and failed ones, from 0 to 1. */
                    success_rate: number | null;
                    /** @description Time from queueing to the start of the last attempt. */
                    queue_wait_ms: components["schemas"]["Spread"];
                    /** @description Duration of the last attempt. */
                    duration_ms: components["schemas"]["Spread"];
                };
                /** @description The last 30 days, ending today, by the day on which jobs ended. */
                by_day: {
                    /**
                     * Format: date
                     * @description Date in UTC.
                     * @example 2026-11-20
                     */
                    day: string;
                    succeeded: number;
                    failed: number;
                    cancelled: number;
                    /** @description Share of succeeded jobs among succeeded and failed ones, from 0 to 1. */
                    success_rate: number | null;
                    /** @description Time from queueing to the start of the last attempt. */
                    queue_wait_ms: components["schemas"]["Spread"];
                    /** @description Duration of the last attempt. */
                    duration_ms: components["schemas"]["Spread"];
                }[];
            };
            projects: {
                items: {
                    id: string;
                    name: string;
                    job_counts: components["schemas"]["StatusCounts"];
                    tokens: components["schemas"]["TokenSums"];
                    /**
                     * Format: date-time
                     * @example 2026-11-20T10:41:00.000Z
                     */
                    last_activity_at: string | null;
                }[];
                /** @description Whether there are more projects than `items`. `GET /projects` lists all. */
                more: boolean;
            };
            tokens: {
                last_30_days: components["schemas"]["TokenSums"];
                /** @description By the day on which usage was reported. */
                by_day: {
                    /**
                     * Format: date
                     * @description Date in UTC.
                     * @example 2026-11-20
                     */
                    day: string;
                    input_tokens: number;
                    cached_input_tokens: number;
                    output_tokens: number;
                    reasoning_output_tokens: number;
                    /** @description Cost of the agents whose CLI reports it. */
                    cost_usd: number;
                }[];
                /** @description All time. `(default of PROFILE)` if neither the job nor the profile set a model. */
                by_model: {
                    model: string;
                    input_tokens: number;
                    cached_input_tokens: number;
                    output_tokens: number;
                    reasoning_output_tokens: number;
                    /** @description Cost of the agents whose CLI reports it. */
                    cost_usd: number;
                }[];
                /** @description All time, for the projects in `projects.items`. */
                by_project: {
                    project_id: string;
                    project: string;
                    input_tokens: number;
                    cached_input_tokens: number;
                    output_tokens: number;
                    reasoning_output_tokens: number;
                    /** @description Cost of the agents whose CLI reports it. */
                    cost_usd: number;
                }[];
            };
        };
        /** @description Percentiles in milliseconds, accurate to 19 %. Null if `count` is 0. */
        Spread: {
            count: number;
            p50: number | null;
            p95: number | null;
        };
        JobCreated: {
            /** @example job_4k2q0v9m6s8x1c3b5n7h2j4d6f */
            id: string;
            /**
             * @description The job's page in the console. Null if the deployment has no public address.
             * @example https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f
             */
            url: string | null;
            /** @description Whether its sender has used the idempotency key before. The answer is about what exists since then. */
            replayed: boolean;
            /**
             * @description If it is replayed: the fields in which this request differs from the first one with the key. They have no effect. Later edits are not compared.
             * @example []
             */
            differs: string[];
        };
        JobList: {
            /** @description Jobs in the requested order. */
            items: components["schemas"]["JobSummary"][];
            /** @description Number of jobs that match the filters, or a lower bound if `total_complete` is false. */
            total: number;
            /** @description Whether `total` is exact: new jobs are counted a moment after they are listed. One request reads up to 50000 jobs. A search reads whole months, or, from a month on that has more than that, up to 20000 jobs or one page in order. Continue with `next_cursor`, even after an empty page. */
            total_complete: boolean;
            offset: number;
            limit: number;
            status_counts: components["schemas"]["StatusCounts"];
            next_cursor: string | null;
        };
        JobSummary: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            project_id: string;
            project: string;
            title: string | null;
            tags: string[];
            /**
             * @description Agent of the newest attempt or, before the first attempt, of the profile. Null for the result of an attempt whose record is unreadable.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it. */
            model_used: string | null;
            /** @description Maximum duration of an attempt in seconds, including the default of the profile. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description Id of the job that this one is a copy of. */
            copied_from: string | null;
            /** @description Id of the first job of the thread that this job belongs to. */
            thread_id: string;
            /** @description Number of this job in its thread, from 1. Null for a draft, and until it is recorded. */
            turn: number | null;
            /** @description Id of the job that this one was created to continue. */
            continues: string | null;
            /** @description Id of the job that this one was created to fork. */
            forked_from: string | null;
            /** @description Id of the automation that created it. Null: none did. The automation may be deleted. */
            automation: string | null;
            /** @description Null for a moment after the job was deleted. */
            created_by: string | null;
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            cwd: string | null;
            /** @description The first 200 characters of the prompt. */
            prompt_preview: string;
            attempt: number;
            exit_code: number | null;
            signal: string | null;
            parent_id: string | null;
            /** @description Id of the job that a client created and that this one descends from, through one or more jobs that brought about the next. Null: a client created this job, or a message became it. */
            root_id: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
        };
        Job: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt, or 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            title: string | null;
            tags: string[];
            /**
             * @description Agent of the newest attempt or, before the first attempt, of the profile. Null for the result of an attempt whose record is unreadable.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it. */
            model_used: string | null;
            /** @description Maximum duration of an attempt in seconds, including the default of the profile. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description Id of the job that this one is a copy of. */
            copied_from: string | null;
            /** @description Id of the first job of the thread that this job belongs to. */
            thread_id: string;
            /** @description Number of this job in its thread, from 1. Null for a draft, and until it is recorded. */
            turn: number | null;
            /** @description Id of the job that this one was created to continue. */
            continues: string | null;
            /** @description Id of the job that this one was created to fork. */
            forked_from: string | null;
            /** @description Id of the automation that created it. Null: none did. The automation may be deleted. */
            automation: string | null;
            prompt: string;
            base_prompt: string;
            extra_prompt: string | null;
            rule_ids: string[];
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            cwd: string | null;
            /** @description Where the job works, or will work, on its worker's file system: in a local run, a folder of this machine. Null for a draft. */
            folder: string | null;
            /**
             * Format: date-time
             * @description When the folder is deleted at the earliest: later if another job of the thread uses it meanwhile. Null until the job has ended, and for a folder that is not deleted, because `cwd` names it or the service deletes none.
             * @example 2026-11-20T10:41:00.000Z
             */
            folder_kept_until: string | null;
            /**
             * Format: date-time
             * @description When the job is deleted with its output and the copy of its files, which `GET /jobs/{id}/files` lists. Null until the job has ended, and if the service deletes no jobs.
             * @example 2026-11-20T10:41:00.000Z
             */
            files_kept_until: string | null;
            project_id: string;
            project: string;
            idempotency_key: string | null;
            save_draft: boolean;
            draft: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
            created_by: string;
            parent_id: string | null;
            /** @description Id of the job that a client created and that this one descends from, through one or more jobs that brought about the next. Null: a client created this job, or a message became it. */
            root_id: string | null;
            follow_up_ids: string[];
            worker_id: string | null;
            exit_code: number | null;
            signal: string | null;
            /** @description Why the attempt failed. Null without the scope `logs`. */
            error: string | null;
            /** @description Usage of one attempt; of a job, that of the newest attempt that reported any. Null: not known. */
            usage: components["schemas"]["Usage"] | (null);
            /** @description Session id that the agent reported. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            /** @description Usage of all attempts so far, as far as it is known. A running attempt is not included. Null: nothing is known. */
            total_usage: components["schemas"]["Usage"] | (null);
            version: number;
            /**
             * Format: date-time
             * @description When an administrator had the output of all attempts up to then deleted. Reads of it answer 404 with `output_deleted`. Null: nothing was deleted.
             * @example 2026-11-20T10:41:00.000Z
             */
            output_deleted_at: string | null;
            /** @description Who had it deleted. */
            output_deleted_by: string | null;
            /** @description The newest attempt whose output was deleted. Attempts of a later retry have theirs. */
            output_deleted_attempt: number | null;
            /** @description What else happened. Without the scope `logs`, only the subject of each warning. */
            warnings: string[];
            /** @description Runs of the deploy bindings of the project. */
            deployments: components["schemas"]["JobDeployment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            /** @description The template that the job was created from. Its prompts may have been edited since. Null: it was created without one. */
            template: components["schemas"]["TemplateOfJob"] | (null);
            /** @description Number of the interrupted attempt whose session the next attempt continues, or the running one was to continue. Null: attempts start from the prompt. */
            resume_from: number | null;
            /** @description The newest question of the agent. `GET /jobs/{id}/questions` has its text. Null if it asked none. */
            question: components["schemas"]["AskedQuestion"] | (null);
            /** @description What the agent reported last about its progress. Null if it reported nothing, and unless the job is RUNNING. */
            progress: components["schemas"]["ReportedProgress"] | (null);
            /** @description Returned only by `GET /jobs/{id}`. Null for a job that is not QUEUED. */
            queue: components["schemas"]["QueuePlace"] | (null);
            /** @description The newest 10 attempts, newest first. Returned only by `GET /jobs/{id}`, otherwise null. For the details of an attempt, use `GET /jobs/{id}/result?attempt=N`. */
            attempts: components["schemas"]["JobAttempt"][] | null;
        };
        /** @description Tokens, and their cost in dollars if the agent reports it. Input tokens include cached ones. */
        Usage: {
            input_tokens: number;
            cached_input_tokens: number;
            output_tokens: number;
            reasoning_output_tokens: number;
            cost_usd?: number;
        };
        JobDeployment: {
            /** @description Id of the deploy binding. */
            binding: string;
            name: string;
            /** @enum {string} */
            mode: "generic" | "custom" | "hosted_editor" | "web_framework";
            /** @description The successful attempt of the job that caused the deployment. */
            attempt: number;
            /** @enum {string} */
            state: "pending" | "running" | "delivered" | "succeeded" | "failed" | "skipped";
            /** @description How often the deployment was tried. */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When the call is retried.
             * @example 2026-11-20T10:41:00.000Z
             */
            next_attempt_at?: string;
            /**
             * @description Why its commands have not begun. `thread_busy`: a later turn of the thread, or a fork that copies the folder, comes first. `folder_busy`: another job worked in the folder when a worker was about to begin; it is tried again.
             * @enum {string}
             */
            pending_reason?: "thread_busy" | "folder_busy";
            /** @description HTTP status of the last response to a call. */
            last_status?: number;
            /** @description URL that opens the working folder in a hosted editor. */
            open_url?: string;
            /** @description Why it failed. Absent without the scope `logs`. */
            error?: string;
            /** @description The last 16384 bytes, at most, of the output of the commands. Absent without the scope `logs`. */
            log?: string;
            log_truncated?: boolean;
        };
        /** @description Changes that the job made in its project's repository, including new files. Null without a repository. */
        RepositoryChanges: {
            /** @description Branch of the worktree. */
            branch: string | null;
            /** @description Commit at which the worktree started. */
            base: string;
            /** @description Current commit of the worktree. */
            head: string;
            /** @description Output of `git diff --stat`. The attachment `.promptq/changes.diff` contains the diff. */
            stat: string;
            files: number;
            insertions: number;
            deletions: number;
            /** @description Whether the attachment contains only part of the diff. */
            truncated: boolean;
            /** @description Whether secrets are masked in the attachment, in content or names of files. It is then another diff than that of the job and must not be applied. */
            masked: boolean;
        };
        TemplateOfJob: {
            name: string;
            version: number;
            /** @description The values that the job was created with, with defaults. */
            parameters: {
                [key: string]: string | number | boolean;
            };
        };
        AskedQuestion: {
            /** @example q_7h2j4d6f8a */
            id: string;
            /**
             * @description `open`: it can be answered. `expired`: nobody answered before the deadline. `withdrawn`: the job ended, was retried or was edited before an answer, or its agent does not wait for one.
             * @enum {string}
             */
            state: "open" | "answered" | "expired" | "withdrawn";
            /**
             * Format: date-time
             * @description Until when it can be answered.
             * @example 2026-11-20T10:41:00.000Z
             */
            deadline: string;
        };
        ReportedProgress: {
            /** @example Tests pass; writing the documentation. */
            text: string;
            /** @description How much is done, 0 to 100. Null if not reported. */
            percent: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            at: string;
        };
        /**
         * @example {
         *       "ahead": 2,
         *       "ahead_complete": true,
         *       "held_by": []
         *     }
         */
        QueuePlace: {
            /** @description Number of jobs ahead of this one: jobs of its project in the same priority band (above 0, 0 or below 0), or jobs that wait for the same folder or profile. Null while the job waits for the vendor, because all jobs that wait for it continue together. */
            ahead: number | null;
            /** @description Whether `ahead` is exact. If false, it is a lower bound. */
            ahead_complete: boolean;
            /** @description Ids of the jobs that use the folder or the profile slots that this job waits for, or of the turn of its thread that it waits for. */
            held_by: string[];
        };
        JobAttempt: {
            attempt: number;
            /**
             * @description RUNNING, or how the attempt ended: SUCCEEDED, FAILED or CANCELLED. QUEUED: the attempt had no outcome and the job waited for another one. Null: the record of the attempt can't be read.
             * @enum {string|null}
             */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null;
            /** @description Null: the record of the attempt can't be read. */
            state_reason: components["schemas"]["StateReason"] | (null);
            /**
             * Format: date-time
             * @description Null if it was not recorded, for example because the worker was lost.
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            exit_code: number | null;
            signal: string | null;
            /** @description Number of the attempt whose session this one continued. Null: it started from the prompt, or its record is missing. */
            resumed_from: number | null;
        };
        JobLifecycle: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt, or 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            /** @description Whether the job has ended. */
            terminal: boolean;
        };
        CancelledJob: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt, or 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            title: string | null;
            tags: string[];
            /**
             * @description Agent of the newest attempt or, before the first attempt, of the profile. Null for the result of an attempt whose record is unreadable.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it. */
            model_used: string | null;
            /** @description Maximum duration of an attempt in seconds, including the default of the profile. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description Id of the job that this one is a copy of. */
            copied_from: string | null;
            /** @description Id of the first job of the thread that this job belongs to. */
            thread_id: string;
            /** @description Number of this job in its thread, from 1. Null for a draft, and until it is recorded. */
            turn: number | null;
            /** @description Id of the job that this one was created to continue. */
            continues: string | null;
            /** @description Id of the job that this one was created to fork. */
            forked_from: string | null;
            /** @description Id of the automation that created it. Null: none did. The automation may be deleted. */
            automation: string | null;
            prompt: string;
            base_prompt: string;
            extra_prompt: string | null;
            rule_ids: string[];
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            cwd: string | null;
            /** @description Where the job works, or will work, on its worker's file system: in a local run, a folder of this machine. Null for a draft. */
            folder: string | null;
            /**
             * Format: date-time
             * @description When the folder is deleted at the earliest: later if another job of the thread uses it meanwhile. Null until the job has ended, and for a folder that is not deleted, because `cwd` names it or the service deletes none.
             * @example 2026-11-20T10:41:00.000Z
             */
            folder_kept_until: string | null;
            /**
             * Format: date-time
             * @description When the job is deleted with its output and the copy of its files, which `GET /jobs/{id}/files` lists. Null until the job has ended, and if the service deletes no jobs.
             * @example 2026-11-20T10:41:00.000Z
             */
            files_kept_until: string | null;
            project_id: string;
            project: string;
            idempotency_key: string | null;
            save_draft: boolean;
            draft: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
            created_by: string;
            parent_id: string | null;
            /** @description Id of the job that a client created and that this one descends from, through one or more jobs that brought about the next. Null: a client created this job, or a message became it. */
            root_id: string | null;
            follow_up_ids: string[];
            worker_id: string | null;
            exit_code: number | null;
            signal: string | null;
            /** @description Why the attempt failed. Null without the scope `logs`. */
            error: string | null;
            /** @description Usage of one attempt; of a job, that of the newest attempt that reported any. Null: not known. */
            usage: components["schemas"]["Usage"] | (null);
            /** @description Session id that the agent reported. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            /** @description Usage of all attempts so far, as far as it is known. A running attempt is not included. Null: nothing is known. */
            total_usage: components["schemas"]["Usage"] | (null);
            version: number;
            /**
             * Format: date-time
             * @description When an administrator had the output of all attempts up to then deleted. Reads of it answer 404 with `output_deleted`. Null: nothing was deleted.
             * @example 2026-11-20T10:41:00.000Z
             */
            output_deleted_at: string | null;
            /** @description Who had it deleted. */
            output_deleted_by: string | null;
            /** @description The newest attempt whose output was deleted. Attempts of a later retry have theirs. */
            output_deleted_attempt: number | null;
            /** @description What else happened. Without the scope `logs`, only the subject of each warning. */
            warnings: string[];
            /** @description Runs of the deploy bindings of the project. */
            deployments: components["schemas"]["JobDeployment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            /** @description The template that the job was created from. Its prompts may have been edited since. Null: it was created without one. */
            template: components["schemas"]["TemplateOfJob"] | (null);
            /** @description Number of the interrupted attempt whose session the next attempt continues, or the running one was to continue. Null: attempts start from the prompt. */
            resume_from: number | null;
            /** @description The newest question of the agent. `GET /jobs/{id}/questions` has its text. Null if it asked none. */
            question: components["schemas"]["AskedQuestion"] | (null);
            /** @description What the agent reported last about its progress. Null if it reported nothing, and unless the job is RUNNING. */
            progress: components["schemas"]["ReportedProgress"] | (null);
            /** @description Returned only by `GET /jobs/{id}`. Null for a job that is not QUEUED. */
            queue: components["schemas"]["QueuePlace"] | (null);
            /** @description The newest 10 attempts, newest first. Returned only by `GET /jobs/{id}`, otherwise null. For the details of an attempt, use `GET /jobs/{id}/result?attempt=N`. */
            attempts: components["schemas"]["JobAttempt"][] | null;
            /** @description How many jobs this request cancelled, or asked to end: this job, and with `tree` its descendants. 0: all had ended, or were asked before. */
            cancelled_jobs: number;
        };
        RereadJob: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt, or 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            title: string | null;
            tags: string[];
            /**
             * @description Agent of the newest attempt or, before the first attempt, of the profile. Null for the result of an attempt whose record is unreadable.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it. */
            model_used: string | null;
            /** @description Maximum duration of an attempt in seconds, including the default of the profile. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description Id of the job that this one is a copy of. */
            copied_from: string | null;
            /** @description Id of the first job of the thread that this job belongs to. */
            thread_id: string;
            /** @description Number of this job in its thread, from 1. Null for a draft, and until it is recorded. */
            turn: number | null;
            /** @description Id of the job that this one was created to continue. */
            continues: string | null;
            /** @description Id of the job that this one was created to fork. */
            forked_from: string | null;
            /** @description Id of the automation that created it. Null: none did. The automation may be deleted. */
            automation: string | null;
            prompt: string;
            base_prompt: string;
            extra_prompt: string | null;
            rule_ids: string[];
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            cwd: string | null;
            /** @description Where the job works, or will work, on its worker's file system: in a local run, a folder of this machine. Null for a draft. */
            folder: string | null;
            /**
             * Format: date-time
             * @description When the folder is deleted at the earliest: later if another job of the thread uses it meanwhile. Null until the job has ended, and for a folder that is not deleted, because `cwd` names it or the service deletes none.
             * @example 2026-11-20T10:41:00.000Z
             */
            folder_kept_until: string | null;
            /**
             * Format: date-time
             * @description When the job is deleted with its output and the copy of its files, which `GET /jobs/{id}/files` lists. Null until the job has ended, and if the service deletes no jobs.
             * @example 2026-11-20T10:41:00.000Z
             */
            files_kept_until: string | null;
            project_id: string;
            project: string;
            idempotency_key: string | null;
            save_draft: boolean;
            draft: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
            created_by: string;
            parent_id: string | null;
            /** @description Id of the job that a client created and that this one descends from, through one or more jobs that brought about the next. Null: a client created this job, or a message became it. */
            root_id: string | null;
            follow_up_ids: string[];
            worker_id: string | null;
            exit_code: number | null;
            signal: string | null;
            /** @description Why the attempt failed. Null without the scope `logs`. */
            error: string | null;
            /** @description Usage of one attempt; of a job, that of the newest attempt that reported any. Null: not known. */
            usage: components["schemas"]["Usage"] | (null);
            /** @description Session id that the agent reported. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            /** @description Usage of all attempts so far, as far as it is known. A running attempt is not included. Null: nothing is known. */
            total_usage: components["schemas"]["Usage"] | (null);
            version: number;
            /**
             * Format: date-time
             * @description When an administrator had the output of all attempts up to then deleted. Reads of it answer 404 with `output_deleted`. Null: nothing was deleted.
             * @example 2026-11-20T10:41:00.000Z
             */
            output_deleted_at: string | null;
            /** @description Who had it deleted. */
            output_deleted_by: string | null;
            /** @description The newest attempt whose output was deleted. Attempts of a later retry have theirs. */
            output_deleted_attempt: number | null;
            /** @description What else happened. Without the scope `logs`, only the subject of each warning. */
            warnings: string[];
            /** @description Runs of the deploy bindings of the project. */
            deployments: components["schemas"]["JobDeployment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            /** @description The template that the job was created from. Its prompts may have been edited since. Null: it was created without one. */
            template: components["schemas"]["TemplateOfJob"] | (null);
            /** @description Number of the interrupted attempt whose session the next attempt continues, or the running one was to continue. Null: attempts start from the prompt. */
            resume_from: number | null;
            /** @description The newest question of the agent. `GET /jobs/{id}/questions` has its text. Null if it asked none. */
            question: components["schemas"]["AskedQuestion"] | (null);
            /** @description What the agent reported last about its progress. Null if it reported nothing, and unless the job is RUNNING. */
            progress: components["schemas"]["ReportedProgress"] | (null);
            /** @description Returned only by `GET /jobs/{id}`. Null for a job that is not QUEUED. */
            queue: components["schemas"]["QueuePlace"] | (null);
            /** @description The newest 10 attempts, newest first. Returned only by `GET /jobs/{id}`, otherwise null. For the details of an attempt, use `GET /jobs/{id}/result?attempt=N`. */
            attempts: components["schemas"]["JobAttempt"][] | null;
            /** @description What was corrected: fields of the job, or fields of an attempt's record as `attempt N: …`. */
            refreshed: string[];
            /** @description Ids of follow-up jobs that were missing and have been created. */
            recovered_follow_up_ids: string[];
        };
        QuestionList: {
            /** @description All questions of the job, newest first. */
            items: components["schemas"]["Question"][];
        };
        Question: {
            /** @example q_7h2j4d6f8a */
            id: string;
            job_id: string;
            /**
             * @description `open`: it can be answered. `expired`: nobody answered before the deadline. `withdrawn`: the job ended, was retried or was edited before an answer, or its agent does not wait for one.
             * @enum {string}
             */
            state: "open" | "answered" | "expired" | "withdrawn";
            /**
             * @description Up to 2048 bytes, with the secrets of its attempt masked. Unlike the output of a job, it is shown to callers without the scope `logs`.
             * @example Which of the two databases shall I migrate?
             */
            question: string;
            /** @description Answers that the agent suggests. Any other text is allowed too. */
            options: string[];
            /** @description The answer that counts if nobody answers before the deadline. Null: the job fails then. */
            default: string | null;
            /** @description The attempt that asked. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            asked_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            deadline: string;
            /** @description As it was written until the agent gets it; from then on with its secrets masked. */
            answer: string | null;
            /** @example user:ada@example.com */
            answered_by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            answered_at: string | null;
        };
        JobRemoved: {
            /** @description The id of the job, which is unknown from now on. */
            id: string;
        };
        OutputDeleted: {
            id: string;
            /**
             * Format: date-time
             * @description When it was asked for first.
             * @example 2026-11-20T10:41:00.000Z
             */
            output_deleted_at: string;
            /** @description The caller that asked first. */
            output_deleted_by: string;
            /** @description Ids of later turns of its thread and of its follow-up jobs, whose sessions or prompts may repeat some of the output. */
            copies: string[];
        };
        JobResult: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            attempt: number;
            /**
             * @description Agent of the newest attempt or, before the first attempt, of the profile. Null for the result of an attempt whose record is unreadable.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it. */
            model_used: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            duration_ms: number | null;
            /** @description The last message of the agent. */
            final_message: string | null;
            /** @description The full prompt that the agent received. */
            composed_prompt: string | null;
            /** @description Files that the attempt produced. */
            attachments: components["schemas"]["Attachment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            follow_up_ids: string[];
            exit_code: number | null;
            signal: string | null;
            /** @description Why the attempt failed. Null without the scope `logs`. */
            error: string | null;
            /** @description Usage of one attempt; of a job, that of the newest attempt that reported any. Null: not known. */
            usage: components["schemas"]["Usage"] | (null);
            /** @description Session id that the agent reported. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            /** @description UTF-8 text. Invalid bytes become U+FFFD. */
            stdout: string;
            /** @description UTF-8 text. Invalid bytes become U+FFFD. */
            stderr: string;
            stdout_truncated: boolean;
            stderr_truncated: boolean;
            /**
             * @description How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.
             * @enum {string}
             */
            stdout_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.
             * @enum {string}
             */
            stderr_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description State of the attempt's record, the source of `final_message`, `composed_prompt` and `changes`. `missing`: the record does not exist, for example because the worker was lost before writing it. `corrupt`: it can't be read. Absent while the attempt runs.
             * @enum {string}
             */
            receipt_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description State of the list of attachments. `missing`: entries are missing. `corrupt`: the list can't be read. Absent if the attempt has no attachments.
             * @enum {string}
             */
            attachments_state?: "complete" | "missing" | "truncated" | "corrupt";
        };
        Attachment: {
            /**
             * @description The `path` with `%` written as `%25` and `/` as `%2F`. Percent-encode it once more to use it in a URL.
             * @example report%2Fsummary.md
             */
            name: string;
            /**
             * @description Path relative to the folder `$PROMPTQ_ATTACHMENTS` of the agent.
             * @example report/summary.md
             */
            path: string;
            bytes: number;
            /** @description SHA-256 of the file, in hexadecimal. */
            sha256: string;
            /** @description Media type guessed from the name. Downloads are always sent as `application/octet-stream`. */
            content_type: string;
            attempt: number;
        };
        JobLogs: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            attempt: number;
            /** @enum {string} */
            stream: "stdout" | "stderr" | "all";
            /** @description UTF-8 text. Invalid bytes become U+FFFD. */
            stdout?: string;
            /** @description UTF-8 text. Invalid bytes become U+FFFD. */
            stderr?: string;
            stdout_bytes?: number;
            stderr_bytes?: number;
            stdout_truncated?: boolean;
            stderr_truncated?: boolean;
            /**
             * @description How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.
             * @enum {string}
             */
            stdout_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.
             * @enum {string}
             */
            stderr_state?: "complete" | "missing" | "truncated" | "corrupt";
            /** @description Byte offset at which to continue reading this stream. Null if `stream` is `all`. */
            next_offset: number | null;
        };
        MessageAccepted: {
            /** @description The id of the message. */
            id: string;
            /** @description Whether its sender has used the idempotency key before. The answer is about what exists since then. */
            replayed: boolean;
            /**
             * @description If it is replayed: the fields in which this request differs from the first one with the key. They have no effect. Later edits are not compared.
             * @example []
             */
            differs: string[];
        };
        MessageList: {
            items: components["schemas"]["Message"][];
        };
        Message: {
            id: string;
            text: string;
            /**
             * @description `pending`: the agent gets it with its next attempt, or while it runs. `delivered`: it is in the session of the agent. `not_delivered`: the job ended first; `next_job_id` may have it.
             * @enum {string}
             */
            status: "pending" | "delivered" | "not_delivered";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /** @description The sender. */
            created_by: string;
            /**
             * Format: date-time
             * @description When the agent had it in its session.
             * @example 2026-11-20T10:41:00.000Z
             */
            delivered_at: string | null;
            /** @description The attempt that it was delivered to. */
            attempt: number | null;
            /** @description Why it was not delivered. */
            reason: string | null;
            /** @description The job whose prompt it became, as the next turn of the thread, because the job ended first. */
            next_job_id: string | null;
        };
        DeployBinding: {
            id: string;
            project_id: string;
            project: string;
            name: string;
            /** @enum {string} */
            binding_mode: "generic" | "custom" | "hosted_editor" | "web_framework";
            /** @description Whether the binding is active. If not, `missing` or `disabled_reason` explains why. */
            ready: boolean;
            /** @description Required fields that are not set. */
            missing: string[];
            /** @description Why the binding was disabled, or what is wrong with its `open_url`. Updating the binding enables it again. */
            disabled_reason: string | null;
            target_url: string | null;
            command: string | null;
            open_url: string | null;
            framework: string | null;
            install_command: string | null;
            build_command: string | null;
            deploy_command: string | null;
            timeout_seconds: number | null;
            /** @description Commands in the order in which they run. A failure stops the sequence. */
            commands: string[];
            /** @description Returned only by the call that created the secret. */
            secret?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        DeployBindingList: {
            items: components["schemas"]["DeployBinding"][];
        };
        Account: {
            /** @enum {string} */
            vendor: "codex";
            /**
             * @description State of the latest login or, if there was none, of the account.
             * @enum {string}
             */
            state: "not_linked" | "starting" | "awaiting_user" | "linked" | "failed" | "cancelled" | "expired";
            /** @description Whether jobs can use the account. A linked account stays usable while a new login is in progress. */
            logged_in: boolean;
            /** @description Name of the linked account, as the vendor reports it. */
            account?: string;
            /** @description Page on which to enter the code. */
            verification_uri?: string;
            /** @description One-time code. It is kept only in the memory of the login process. */
            user_code?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at?: string;
            /** @description Why the login failed, and what to do. */
            error?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        ProjectList: {
            items: components["schemas"]["Project"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        Project: {
            id: string;
            name: string;
            /** @description Folder on the workers in which jobs of the project work. */
            workspace: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the status of a job of the project last changed.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_activity_at: string | null;
            job_counts: components["schemas"]["StatusCounts"];
            repository: string | null;
            ref: string | null;
            setup: string | null;
            /** @description Name of the secret, never its value. */
            secret: string | null;
            exclusive_cwd: boolean;
        };
        RuleList: {
            items: components["schemas"]["Rule"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        Rule: {
            id: string;
            name: string;
            text: string;
            /** @enum {string} */
            source: "built_in" | "imported";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string | null;
        };
        ProfileList: {
            items: components["schemas"]["Profile"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        Profile: {
            name: string;
            /** @enum {string} */
            agent: "codex" | "claude" | "shell";
            /** @description Null: the default model of the agent. */
            model: string | null;
            args: string[];
            env: {
                [key: string]: string | {
                    secret: string;
                    commands?: boolean;
                };
            };
            /** @enum {string} */
            sandbox: "workspace-write" | "read-only" | "none";
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            /** @description Null: no limit. */
            concurrency: number | null;
            /** @enum {string} */
            resume: "auto" | "never";
            /** @enum {string} */
            drive: "auto" | "exec";
            /** @enum {string} */
            tools: "on" | "off";
            /** @enum {string} */
            follow_ups: "on" | "off";
            /** @description Further profiles of the jobs that its jobs start. */
            children: string[];
            /** @enum {string} */
            vendor: "own" | "practice";
            /** @description Whether jobs that set no profile use this one. */
            is_default: boolean;
            /** @enum {string} */
            source: "built_in" | "imported";
            /**
             * Format: date-time
             * @description Null for built-in profiles.
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string | null;
        };
        TemplateList: {
            items: components["schemas"]["Template"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        /** @description A template. Null: it does not set the member. */
        Template: {
            /** @example upgrade */
            name: string;
            /**
             * @description Number of the version, from 1.
             * @example 1
             */
            version: number;
            description: string | null;
            prompt: string;
            extra_prompt: string | null;
            title: string | null;
            parameters: components["schemas"]["TemplateParameterView"][];
            environment: boolean;
            rule_ids: string[] | null;
            profile: string | null;
            model: string | null;
            /** Format: int64 */
            priority: number | null;
            timeout: number | null;
            retries: number | null;
            tags: string[] | null;
            cwd: string | null;
            project: string | null;
            /**
             * Format: date-time
             * @description When this version was written.
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        TemplateParameterView: {
            /** @example package */
            name: string;
            /** @enum {string} */
            type: "string" | "text" | "number" | "boolean" | "enum";
            description: string | null;
            /** @description Whether a request has to give a value, unless its project does. */
            required: boolean;
            /** @description Absent: none. */
            default?: string | number | boolean;
            /** @description Absent: none. */
            example?: string | number | boolean;
            pattern: string | null;
            values: string[] | null;
        };
        TemplateVersions: {
            items: components["schemas"]["TemplateVersion"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        TemplateVersion: {
            /**
             * @description Number of the version, from 1.
             * @example 1
             */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        RenderedTemplate: {
            name: string;
            /**
             * @description Number of the version, from 1.
             * @example 1
             */
            version: number;
            /** @description All values, with defaults. */
            parameters: {
                [key: string]: string | number | boolean;
            };
            /** @description The prompt that a job would have. */
            prompt: string;
            extra_prompt: string | null;
            title: string | null;
            environment: boolean;
            rule_ids: string[] | null;
            profile: string | null;
            model: string | null;
            /** Format: int64 */
            priority: number | null;
            timeout: number | null;
            retries: number | null;
            tags: string[] | null;
            cwd: string | null;
            project: string | null;
        };
        ImportResult: {
            /** @description Whether this was a dry run, which changes nothing. */
            dry_run: boolean;
            /** @description Ids of rules. */
            rules: {
                created: string[];
                updated: string[];
                unchanged: string[];
            };
            /** @description Names of profiles. */
            profiles: {
                created: string[];
                updated: string[];
                unchanged: string[];
            };
            /** @description Names of templates. */
            templates: {
                created: string[];
                updated: string[];
                unchanged: string[];
            };
        };
        AttachmentList: {
            id: string;
            attempt: number;
            items: components["schemas"]["Attachment"][];
        };
        JobFileList: {
            id: string;
            /** @description Number of the attempt, or 0 before the first has ended. */
            attempt: number;
            /**
             * @description Which files are listed. `folder`: all of the job's private folder. `worktree`: those that differ from what the agent began with in its worktree, without what a `.gitignore` names. `changed`: those of the folder that `cwd` names which changed since the attempt began. Null: none are listed.
             * @enum {string|null}
             */
            selection: "folder" | "worktree" | "changed" | null;
            /** @description Why none are listed; null if some are. */
            note: string | null;
            items: components["schemas"]["JobFile"][];
            /** @description How many more there are at least, by reason. `name`: its name is no UTF-8, is too long, or has characters that mislead; `count`: the folder has more entries than are listed; `time`: the folder took too long to read. */
            not_listed: {
                /** @enum {string} */
                reason: "name" | "count" | "time";
                count: number;
            }[];
        };
        JobFile: {
            /**
             * @description Path relative to the job's folder.
             * @example src/main.py
             */
            path: string;
            bytes: number;
            executable: boolean;
            /** @description Whether the file can be downloaded. */
            kept: boolean;
            /**
             * @description Why it is not kept; null if it is. `link`: a link: what it leads to may lie elsewhere; `special`: neither a file nor a folder; `left_out`: a folder that is left out whatever is in it; `size`: larger than one kept file may be; `total`: the files before it have used up what is kept of an attempt; `depth`: too deep in folders; `unreadable`: can't be read by the job's account, or changed meanwhile.
             * @enum {string|null}
             */
            reason: "link" | "special" | "left_out" | "size" | "total" | "depth" | "unreadable" | null;
            /** @description SHA-256 of what is kept, in hexadecimal. */
            sha256: string | null;
            /** @description Whether `***` stands in it in place of secrets of the job. */
            masked: boolean;
            /** @description Media type guessed from the name. Downloads are always sent as `application/octet-stream`. */
            content_type: string;
        };
        ProjectSettings: {
            id: string;
            name: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            workspace: string;
            repository: string | null;
            ref: string | null;
            setup: string | null;
            /** @description Name of the secret, never its value. */
            secret: string | null;
            exclusive_cwd: boolean;
        };
        ParameterList: {
            items: components["schemas"]["Parameter"][];
        };
        Parameter: {
            name: string;
            value: string;
            description: string | null;
            /** @description The environment variable in which jobs get it. */
            variable: string;
            project_id: string;
            project: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        DiagramList: {
            items: components["schemas"]["DiagramSummary"][];
        };
        DiagramSummary: {
            project_id: string;
            project: string;
            name: string;
            /** @description Length of the text in UTF-8. */
            bytes: number;
            /** @description Id of the job that made it. */
            source_job: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        Diagram: {
            project_id: string;
            project: string;
            name: string;
            /** @description Length of the text in UTF-8. */
            bytes: number;
            /** @description Id of the job that made it. */
            source_job: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            text: string;
        };
        AutomationList: {
            items: components["schemas"]["Automation"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        Automation: {
            id: string;
            name: string;
            project: string;
            trigger: {
                schedule: {
                    cron: string | null;
                    every: string | null;
                    timezone: string;
                } | null;
                hook: {
                    /**
                     * @description Where the sender posts to.
                     * @example /api/v1/hooks/triage
                     */
                    path: string;
                    verify: {
                        /** @enum {string} */
                        style: "standard_webhooks" | "hmac" | "github" | "gitlab" | "slack" | "header_secret";
                        header: string | null;
                        prefix: string | null;
                        /** @enum {string|null} */
                        encoding: "hex" | "base64" | null;
                    };
                    filter: {
                        pointer: string;
                        one_of: (string | number | boolean | (null))[];
                    }[];
                    map: {
                        [key: string]: string;
                    };
                    delivery_id: {
                        header: string | null;
                        pointer: string | null;
                    } | null;
                    drafts: boolean;
                    /** @description Only in the answer to the request that made it. */
                    secret: string | null;
                } | null;
                event: {
                    types: ("job.succeeded" | "job.failed" | "job.cancelled" | "question.opened" | "deployment.succeeded" | "deployment.failed")[];
                    filter: {
                        project: string | null;
                        profile: string | null;
                        template: string | null;
                        automation: string | null;
                        creator: string | null;
                    };
                } | null;
            };
            job: {
                /**
                 * @description The prompt. It must contain more than whitespace. Either `prompt` or `template` is required.
                 * @example Update the dependencies and run the tests.
                 */
                prompt?: string;
                /** @description Text that is added after the prompt. */
                extra_prompt?: string;
                /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
                rule_ids?: string[];
                /** @description Name of an execution profile. Default: the default profile of the deployment. */
                profile?: string;
                /** @description Model to use instead of the model of the profile. */
                model?: string;
                /**
                 * Format: int64
                 * @description Jobs with a higher priority start earlier. Default: 0.
                 * @example 0
                 */
                priority?: number;
                /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
                timeout?: number;
                /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
                retries?: number;
                /**
                 * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
                 * @example Greeting
                 */
                title?: string;
                /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
                tags?: string[];
                /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
                cwd?: string;
                /** @description Name of a template, which gives the prompt and the settings that are not set here. If it is deleted later, runs fail with that reason. */
                template?: string;
                /** @description Version of the template. Default: the newest when a job is created. */
                template_version?: number;
                /** @description Values of the parameters of the template, by name. Values are data: braces and markup in them have no meaning. */
                parameters?: {
                    [key: string]: string | number | boolean;
                };
            };
            /** @enum {string} */
            overlap: "skip" | "queue" | "replace";
            /** @enum {string} */
            missed: "skip" | "latest" | "all";
            jitter: number;
            pause_after_failures: number;
            enabled: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            enabled_until: string | null;
            /** @description Who changed it last. Its jobs have this name and these rights. */
            owner: string;
            /**
             * @description `paused`: it is not due until it is enabled again; `state_reason` says why. `ended`: no instant is left.
             * @enum {string}
             */
            state: "active" | "paused" | "disabled" | "ended";
            /** @description Why it is paused; why one that is due has no job yet. */
            state_reason: string | null;
            /** @description The next instants, at most 5. Empty if it is not active. */
            next_runs: components["schemas"]["NextRun"][];
            /** @description Its due instants by the hour of its zone, for a calendar. Null unless the list is asked for it with `due_from` or `due_to`. */
            due: {
                /**
                 * Format: date-time
                 * @description The first due instant of the hour.
                 * @example 2026-11-20T10:41:00.000Z
                 */
                at: string;
                /** @description How many the hour has. */
                count: number;
            }[] | null;
            /** @description What may surprise about the schedule. */
            notes: string[];
            /** @description Its newest run that was not skipped. */
            last_run: components["schemas"]["AutomationRun"] | (null);
            failures_in_row: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            version: number;
        };
        NextRun: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            due_at: string;
            /**
             * Format: date-time
             * @description The due instant with the delay by `jitter`.
             * @example 2026-11-20T10:41:00.000Z
             */
            starts_at: string;
            /**
             * @description The due instant in the time zone of the schedule, with its offset.
             * @example 2026-11-30T03:00:00+01:00
             */
            local: string;
        };
        AutomationRun: {
            /**
             * Format: date-time
             * @description The due instant; of a hook, when its delivery came; for a manual run, when it was requested.
             * @example 2026-11-20T10:41:00.000Z
             */
            due_at: string;
            /**
             * Format: date-time
             * @description The last instant, if `count` instants were skipped together.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_due_at: string;
            /** @description How many due instants it stands for. */
            count: number;
            /** @enum {string} */
            trigger: "schedule" | "hook" | "event" | "manual";
            /** @description The event that it is about. */
            event_id: string | null;
            /**
             * @description `fired`: it created a job. `skipped`, `failed`: it did not, and `reason` says why.
             * @enum {string}
             */
            outcome: "fired" | "skipped" | "failed";
            reason: {
                /** @enum {string} */
                code: "still_running" | "queue_full" | "disabled" | "circle" | "too_deep" | "missed" | "edited" | "paused_failures" | "paused_owner" | "not_created";
                message: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            evaluated_at: string;
            /** @description How much later than intended it was evaluated, `jitter` not counted. */
            late_seconds: number;
            /** @description The job that it created, or because of which it was skipped. */
            job_id: string | null;
            /**
             * @description The status of that job. Null if the job no longer exists.
             * @enum {string|null}
             */
            job_status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null;
        };
        AutomationStarted: {
            /** @description The id of the job. */
            id: string;
        };
        AutomationRunList: {
            items: components["schemas"]["AutomationRun"][];
            /** @description Null on the last page. A page can contain fewer items than `limit` without being the last. */
            next_cursor: string | null;
        };
        HookDeliveryList: {
            items: components["schemas"]["HookDelivery"][];
            /** @description The last request that was refused for each reason. Of these, nothing else is kept. */
            refused: {
                /** @enum {string} */
                code: "signature" | "timestamp" | "too_large" | "encoding" | "media_type" | "not_json" | "too_deep";
                message: string;
                /**
                 * Format: date-time
                 * @example 2026-11-20T10:41:00.000Z
                 */
                at: string;
            }[];
        };
        HookDelivery: {
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            received_at: string;
            /** @enum {string} */
            kind: "sent" | "test" | "resent";
            /** @description The delivery that was sent again. */
            resent_of: string | null;
            /** @description The id that the sender gave it. */
            sender_id: string | null;
            /** @description The event that the sender named in a header. */
            event: string | null;
            bytes: number;
            /** @description The first 2000 characters. What looks like a secret is masked. */
            body: string;
            /**
             * @description `accepted`: not evaluated yet. `filtered`, `skipped`, `failed`: no job, and `reason` says why.
             * @enum {string}
             */
            outcome: "accepted" | "filtered" | "fired" | "skipped" | "failed";
            reason: string | null;
            job_id: string | null;
        };
        HookAccepted: {
            id: string;
        };
        HookSecret: {
            /** @description It is not shown again. */
            secret: string;
        };
        EventPage: {
            /** @description Oldest first. With filters, a page can contain fewer events than `limit` although more follow. */
            items: components["schemas"]["Event"][];
            /** @description Pass it as `after` to continue. Every page has one. */
            next_cursor: string;
            /** @description Whether more of the feed can be read at once. */
            has_more: boolean;
            /** @description Whether events after `after` may have been removed, because events are kept for 30 days. */
            missed: boolean;
        };
        Event: {
            /**
             * @description Its place in the feed. Pass it as `after`.
             * @example 1042-1
             */
            id: string;
            /**
             * @description What happened, of all that the change did the first in this list.
             * @enum {string}
             */
            type: "job.created" | "job.removed" | "job.succeeded" | "job.failed" | "job.cancelled" | "attempt.started" | "question.opened" | "question.answered" | "question.expired" | "question.withdrawn" | "attempt.ended" | "job.queued" | "message.accepted" | "output.deleted" | "cancel.requested" | "job.waiting" | "job.ready" | "job.updated" | "deployment.succeeded" | "deployment.failed" | "automation.paused" | "automation.failed" | "automation.skipped" | "automation.late" | "account.required" | "account.limit" | "account.linked" | "worker.launch_failed";
            /**
             * Format: date-time
             * @description When it happened, by the table's clock.
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            /** @description Null if the event concerns no job. */
            job_id: string | null;
            /** @description Counts the changes of this job from 1, without a gap: it is the version of the job after the change. Null if the event is no change of a job. */
            sequence: number | null;
            project_id: string | null;
            /** @description Name of the project at that time. */
            project: string | null;
            /**
             * @description State of the job after the change.
             * @example RUNNING
             */
            status: string | null;
            /**
             * @description Code of the reason of that state; of an automation, why it paused, skipped or failed.
             * @example claimed
             */
            reason: string | null;
            /** @description Number of the newest attempt; 0: none has begun. */
            attempt: number | null;
            /** @description The question that the change opened, answered or closed. */
            question: {
                id: string;
                state: string;
            } | null;
            /** @description Name of the profile of the job, or that uses the account. */
            profile: string | null;
            /** @description Who created the job. */
            created_by: string | null;
            /** @description Name of the template that the job was created from. */
            template: string | null;
            /** @description Id of the automation that created the job, or that the event concerns. */
            automation: string | null;
            /**
             * @description What the event concerns, if that is not the job itself.
             * @default null
             */
            subject: {
                /** @enum {string} */
                kind: "automation" | "account" | "worker" | "deployment";
                /** @description Id of the automation, or of the binding that deployed. */
                id: string;
                name: string;
                /** @description A sentence of the service about what happened. */
                why: string | null;
            } | null;
        };
        SubscriptionList: {
            items: components["schemas"]["Subscription"][];
        };
        Subscription: {
            id: string;
            name: string;
            target: components["schemas"]["SubscriptionTarget"];
            /** @description Returned only by the call that generated it. */
            secret?: string;
            events: string[];
            filter: {
                project: string | null;
                profile: string | null;
                template: string | null;
                automation: string | null;
                creator: string | null;
            };
            /** @enum {string} */
            digest: "none" | "hourly";
            answers_from: string[];
            enabled: boolean;
            /**
             * @description `failing`: the last delivery failed and is tried again; later events wait behind it. `disabled`: nothing is sent until it is enabled.
             * @enum {string}
             */
            state: "active" | "failing" | "disabled";
            /** @description Why it is failing, or why the service disabled it. */
            state_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            failing_since: string | null;
            /** @description Its last attempt. */
            last_delivery: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T10:41:00.000Z
                 */
                at: string;
                /** @enum {string} */
                state: "pending" | "delivered" | "failed" | "dropped";
            } | null;
            /** @description How many events were not delivered within 24 hours, and given up. */
            dropped: number;
            created_by: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        SubscriptionTarget: {
            webhook?: {
                url: string;
            };
            telegram?: {
                chat_id: string;
            };
            slack?: {
                /** @description Null: the one of an incoming webhook. */
                channel: string | null;
            };
            email?: {
                to: string[];
            };
        };
        Delivery: {
            id: string;
            /**
             * @description `change`: only an earlier message is changed, such as that of a question that is answered.
             * @enum {string}
             */
            kind: "event" | "change" | "digest" | "test";
            /** @description The event, or those of a digest, oldest first. */
            events: {
                /** @description Null for a test. */
                id: string | null;
                type: string;
                job_id: string | null;
                sequence: number | null;
            }[];
            /**
             * @description `pending`: It is tried, or will be tried again at `next_attempt_at`. `delivered`: The receiver accepted it. `failed`: It was tried once, on request, or the receiver wants no messages. `dropped`: The receiver accepted it in none of the tries.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "dropped";
            attempts: number;
            /** @description Status of the receiver's last answer. */
            status: number | null;
            /** @description Why the last attempt failed. Secrets are masked. */
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            next_attempt_at: string | null;
        };
        DeliveryList: {
            /** @description The newest first: the last 200, of those of the last 30 days. */
            items: components["schemas"]["Delivery"][];
        };
        OpenApiDocument: {
            /** @example 3.0.3 */
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        AuditLog: {
            /** @description Newest first. With filters, a page can contain fewer entries than `limit` although more follow. */
            items: components["schemas"]["AuditRow"][];
            /** @description Null on the last page. */
            next_cursor: string | null;
        };
        AuditRow: {
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            at: string;
            /**
             * @description Kind and name of the principal.
             * @example token:ci
             */
            actor: string;
            /**
             * @description Id of the operation; `jobs.delegate`: the job that is the actor has started another one.
             * @example jobs.cancel
             */
            action: string;
            /**
             * @description The resources that the action addressed.
             * @example {
             *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f"
             *     }
             */
            target: {
                [key: string]: string;
            };
            /**
             * @description IP address of the caller; null for a job.
             * @example 203.0.113.9
             */
            source_ip: string | null;
            /**
             * @description HTTP status of the response.
             * @example 200
             */
            status: number;
            request_id: string;
        };
        Export: {
            id: string;
            /** @enum {string} */
            kind: "jobs" | "attempts" | "usage" | "messages" | "audit";
            /** @enum {string} */
            format: "jsonl" | "csv";
            /** @description The conditions of the request. */
            filter: {
                [key: string]: string;
            };
            /**
             * @description `queued`: not begun. `running`: it is being written. `done`: whole. `failed`: given up; `error` says why.
             * @enum {string}
             */
            status: "queued" | "running" | "done" | "failed";
            /**
             * Format: date-time
             * @description Only what was created before this time is in it.
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            created_by: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When it is deleted.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string;
            progress: components["schemas"]["ExportProgress"];
            /** @description Why it has failed. */
            error: string | null;
            /** @description Link to the file. It works for 15 minutes without credentials. Null until the export is done, and for callers whose scopes don't include what it contains: `audit` needs `logs`. */
            url: string | null;
            /** @description Link to the same rows in `jsonl`; only for `csv`. */
            raw_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            url_expires_at: string | null;
        };
        ExportProgress: {
            /** @description Rows that are written, besides the header. */
            rows: number;
            /** @description Bytes that are written, of both files together. */
            bytes: number;
            /**
             * Format: date-time
             * @description Rows are written from the oldest on: how far it has read. Null: not begun.
             * @example 2026-11-20T10:41:00.000Z
             */
            reached: string | null;
        };
        ExportList: {
            /** @description Newest first. */
            items: components["schemas"]["ExportSummary"][];
        };
        ExportSummary: {
            id: string;
            /** @enum {string} */
            kind: "jobs" | "attempts" | "usage" | "messages" | "audit";
            /** @enum {string} */
            format: "jsonl" | "csv";
            /** @description The conditions of the request. */
            filter: {
                [key: string]: string;
            };
            /**
             * @description `queued`: not begun. `running`: it is being written. `done`: whole. `failed`: given up; `error` says why.
             * @enum {string}
             */
            status: "queued" | "running" | "done" | "failed";
            /**
             * Format: date-time
             * @description Only what was created before this time is in it.
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            created_by: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When it is deleted.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string;
            progress: components["schemas"]["ExportProgress"];
            /** @description Why it has failed. */
            error: string | null;
        };
        Caller: {
            /**
             * @description Kind of credential that the caller used.
             * @enum {string}
             */
            kind: "token" | "perimeter" | "session" | "telegram";
            /**
             * @description Name of the caller, as it appears in `created_by` and in the audit log.
             * @example user:ada@example.com
             */
            name: string;
            email: string | null;
            /**
             * @description Role of the user. Null for tokens.
             * @enum {string|null}
             */
            role: "viewer" | "operator" | "admin" | null;
            /** @description Scopes of an API token. They apply if the deployment enforces scopes. Null for other callers. */
            scopes: ("read" | "write" | "logs" | "attachments" | "admin")[] | null;
            /** @description Whether the deployment enforces scopes. */
            scopes_enforced: boolean;
            /**
             * @description Note on how the scopes apply. Null if they limit the token, or if the token is suspended or revoked.
             * @example Scopes are not enforced here: this token has full access.
             */
            scopes_note: string | null;
            /**
             * Format: date-time
             * @description When the credential expires. Use extends a session.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string | null;
            /** @description Id of the browser session. */
            session_id: string | null;
        };
        SessionList: {
            items: components["schemas"]["Session"][];
        };
        Session: {
            id: string;
            /** @example user:ada@example.com */
            name: string;
            email: string | null;
            /** @enum {string} */
            role: "viewer" | "operator" | "admin";
            /**
             * @description Browser and operating system at sign-in, as reported by the browser. Null: unknown.
             * @example Firefox on Linux
             */
            browser: string | null;
            /**
             * @description IP address at sign-in. Null: unknown.
             * @example 203.0.113.7
             */
            address: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Updated at most every five minutes.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string;
            /** @description Whether this session made the request. */
            current: boolean;
        };
        TokenList: {
            items: components["schemas"]["Token"][];
        };
        Token: {
            id: string;
            name: string;
            scopes: ("read" | "write" | "logs" | "attachments" | "admin")[];
            /** @description Whether the deployment enforces scopes. */
            scopes_enforced: boolean;
            /**
             * @description Note on how the scopes apply. Null if they limit the token, or if the token is suspended or revoked.
             * @example Scopes are not enforced here: this token has full access.
             */
            scopes_note: string | null;
            /** @enum {string} */
            state: "active" | "suspended" | "revoked";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null: never.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Updated at most once an hour.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_used_at: string | null;
        };
        CreatedToken: {
            id: string;
            name: string;
            scopes: ("read" | "write" | "logs" | "attachments" | "admin")[];
            /** @description Whether the deployment enforces scopes. */
            scopes_enforced: boolean;
            /**
             * @description Note on how the scopes apply. Null if they limit the token, or if the token is suspended or revoked.
             * @example Scopes are not enforced here: this token has full access.
             */
            scopes_note: string | null;
            /** @enum {string} */
            state: "active" | "suspended" | "revoked";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null: never.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Updated at most once an hour.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_used_at: string | null;
            /** @description The token value. It is returned only once and not stored. */
            token: string;
        };
        ConfigDocumentOutput: {
            rules?: components["schemas"]["RuleEntryOutput"][];
            profiles?: components["schemas"]["ProfileEntryOutput"][];
            templates?: components["schemas"]["TemplateEntryOutput"][];
        };
        RuleEntryOutput: {
            /** @description Identifies the rule in the `rule_ids` of jobs. */
            id: string;
            /** @description Display name. Default: the id. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
            name?: string;
            /** @description Text that is put before the prompt of a job. */
            text: string;
        };
        ProfileEntryOutput: {
            /** @description Identifies the profile in the `profile` of jobs. */
            name: string;
            /**
             * @description Agent CLI that runs the prompt. `shell` runs the prompt as a bash script.
             * @enum {string}
             */
            agent: "codex" | "claude" | "shell";
            /** @description Model of jobs that set none. */
            model?: string;
            /** @description Additional command line arguments of the agent. */
            args?: string[];
            /** @description Additional environment variables of the agent. A value is a string or the name of a secret, never the value of the secret. A secret stored for this profile takes precedence over one that all profiles share. The commands that an agent runs see the strings, and a secret only with `"commands": true`; a script, the setup of a repository and the commands of deploy bindings see all of them. Names that are not allowed: `PROMPTQ_*`, `AWS_*`, `LD_*`, `DYLD_*`, `GLIBC_TUNABLES`, `GCONV_PATH`, `LOCPATH`, `BASH_ENV`, `ENV`, `SHELLOPTS`, `PS4`, `NODE_OPTIONS`, `PERL5OPT`, `PERL5LIB`, `PERL5DB`, `PYTHONSTARTUP`, `RUBYOPT`, `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`, `_JAVA_OPTIONS`. */
            env?: {
                [key: string]: string | {
                    secret: string;
                    commands?: boolean;
                };
            };
            /**
             * @description Sandbox of the agent CLI. `none` (default): the container is the sandbox. AWS accepts only `none`, because the sandboxes of the CLIs need user namespaces, which Fargate does not provide.
             * @enum {string}
             */
            sandbox?: "workspace-write" | "read-only" | "none";
            /** @description Timeout of jobs that set none, per attempt, in the unit of the deployment. */
            timeout?: number;
            /** @description Retries of jobs that set none. */
            retries?: number;
            /** @description Maximum number of jobs of this profile that run at a time, across all workers. Other jobs wait with the reason `profile_busy`. Absent: no limit. A lower value does not stop running jobs. */
            concurrency?: number;
            /**
             * @description Whether an attempt continues the session of the one before if that was interrupted by a usage limit, a missing account, the loss of its worker or a stop of its worker. `never`: every attempt starts from the prompt. Default: `auto`.
             * @enum {string}
             */
            resume?: "auto" | "never";
            /**
             * @description How the agent CLI is run. `auto` (default): so that it takes messages while it runs, by the app server of codex, if `args` has only options that set its configuration, and by streamed input of claude. `exec`: it gets nothing but its prompt.
             * @enum {string}
             */
            drive?: "auto" | "exec";
            /**
             * @description Whether the agent gets the tools of Promptq while it runs, for example to report its progress. Agent `shell` gets none. Default: `on`.
             * @enum {string}
             */
            tools?: "on" | "off";
            /**
             * @description Whether blocks `follow-up-job` become jobs: those in the final message of an agent, or on the stdout of a script. Default: `on`; for agent `shell` `off`, because a script prints what others wrote.
             * @enum {string}
             */
            follow_ups?: "on" | "off";
            /** @description Profiles that jobs of this profile may give to the jobs that they start, by the tool `create_job` or by follow-up blocks, besides this one. Default: none. */
            children?: string[];
            /**
             * @description `practice`: the stand-in vendor of the local run.
             * @enum {string}
             */
            vendor?: "own" | "practice";
        };
        /**
         * @example {
         *       "name": "upgrade",
         *       "description": "Upgrades a package.",
         *       "prompt": "Upgrade {{package}} and run the tests.",
         *       "parameters": [
         *         {
         *           "name": "package",
         *           "type": "string",
         *           "pattern": "[a-z0-9@/-]+"
         *         }
         *       ]
         *     }
         */
        TemplateEntryOutput: {
            /**
             * @description Identifies the template in the `template` of jobs.
             * @example upgrade
             */
            name: string;
            /** @description What the template is for. Forms and agents show it. */
            description?: string;
            /**
             * @description The prompt. `{{name}}` is replaced by the value of a parameter, and `{{"{{"}}` by two braces; `extra_prompt` and `title` have placeholders too. Values are data: braces in them have no meaning. With a profile of the agent `shell` there must be no placeholder in prompts: use `environment`.
             * @example Upgrade {{package}} and run the tests.
             */
            prompt: string;
            /** @description The parameters, in the order in which forms show them. */
            parameters?: components["schemas"]["TemplateParameterOutput"][];
            /** @description Gives the commands of jobs the values as environment variables: `PROMPTQ_PARAM_` and the name of the parameter in capitals. Parameters then need no placeholder. Default: false. */
            environment?: boolean;
            /** @description Text that is added after the prompt. */
            extra_prompt?: string;
            /** @description Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`. */
            rule_ids?: string[];
            /** @description Name of an execution profile. Default: the default profile of the deployment. */
            profile?: string;
            /** @description Model to use instead of the model of the profile. */
            model?: string;
            /**
             * Format: int64
             * @description Jobs with a higher priority start earlier. Default: 0.
             * @example 0
             */
            priority?: number;
            /** @description Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between. */
            timeout?: number;
            /** @description Number of additional attempts after a failure. Default: the profile's, or 0. */
            retries?: number;
            /**
             * @description Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string;
            /** @description Tags to find the job by. Duplicates are dropped. An empty list removes all tags. */
            tags?: string[];
            /** @description Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string;
            /** @description Id or name of the project. An unknown project is created with the first job. */
            project?: string;
        };
        TemplateParameterOutput: {
            /**
             * @description Identifies the parameter in placeholders and requests.
             * @example package
             */
            name: string;
            /**
             * @description `string`: one line of at most 1000 characters. `text`: any text of at most 20000 characters. `enum`: one of `values`.
             * @example string
             * @enum {string}
             */
            type: "string" | "text" | "number" | "boolean" | "enum";
            description?: string;
            /** @description Whether a job needs a value. `false`: without one, the placeholders become empty. Default: true. A parameter with a default always has a value. */
            required?: boolean;
            /** @description The value of jobs that give none. A string, number or boolean. */
            default?: string | number | boolean;
            /** @description A value that forms show as an example. */
            example?: string | number | boolean;
            /**
             * @description A regular expression that matches all of a `string`: characters, `.`, classes such as `[a-z0-9]` and `\d`, groups, `|`, and the repetitions `*`, `+`, `?` and `{2,5}`. Other expressions are rejected, since matching them can take exponential time.
             * @example [a-z0-9-]+
             */
            pattern?: string;
            /** @description The allowed values of an `enum`. */
            values?: string[];
        };
        /** @description A line of `promptq logs -f --json`: a piece of output. */
        LogOutputEvent: {
            /** @enum {string} */
            type: "output";
            attempt: number;
            /** @enum {string} */
            stream: "stdout" | "stderr";
            /** @description Whole characters. */
            text: string;
            /** @description Bytes of the stream before this piece. */
            offset: number;
            /** @description Bytes of the stream with this piece. */
            next_offset: number;
        };
        /** @description A line of `promptq logs -f --json`: the attempt has ended, and all of its output was printed. */
        LogEndEvent: {
            /** @enum {string} */
            type: "end";
            attempt: number;
            /**
             * @description The current status of the job, such as QUEUED if another attempt follows.
             * @enum {string}
             */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /**
             * @description How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.
             * @enum {string}
             */
            stdout_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.
             * @enum {string}
             */
            stderr_state?: "complete" | "missing" | "truncated" | "corrupt";
        };
        /** @description What `promptq doctor --json` prints. */
        DoctorReport: {
            /**
             * @description The worst of the findings.
             * @enum {string}
             */
            state: "ok" | "warning" | "fault";
            findings: {
                check: string;
                /** @enum {string} */
                state: "ok" | "warning" | "fault";
                message: string;
                /** @description What to do. Absent: nothing. */
                advice?: string;
            }[];
        };
    };
    responses: {
        /** @description A sentence that describes what was received and what is allowed. */
        InvalidRequest: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unauthorized */
        Unauthorized: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                /** @description The authentication scheme: `Bearer realm="promptq"`. API Gateway renames the header to `x-amzn-Remapped-WWW-Authenticate`. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description forbidden */
        Forbidden: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request took too long to arrive */
        RequestTimeout: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                /** @description Seconds to wait before retrying. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Invalid request size */
        BodyTooLarge: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too_many_requests */
        TooManyRequests: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                /** @description Seconds to wait before retrying. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the headers of the request are too large */
        HeadersTooLarge: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description internal_error */
        InternalError: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description internal_error */
        FunctionFailed: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unavailable */
        Unavailable: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                /** @description Seconds to wait before retrying. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description timed_out */
        TimedOut: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                /** @description Seconds to wait before retrying. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description job_not_found */
        JobNotFound: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A sentence that describes what was received and what is allowed. / A sentence that describes what was received and what is allowed. */
        InvalidRequestOrInvalidState: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description job_not_found / output_deleted */
        JobNotFoundOrOutputDeleted: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description job_not_found / output_deleted / not_found */
        JobNotFoundOrOutputDeletedOrNotFound: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_found */
        NotFound: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description job_not_found / not_found */
        JobNotFoundOrNotFound: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A sentence that describes what was received and what is allowed. / A sentence that describes what was received and what is allowed. */
        InvalidStateOrInvalidRequest: {
            headers: {
                /** @description Id of the request in the logs. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of each check, and the number of jobs in each state. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.1.0",
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "status_counts": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "checks": {
                     *         "table": {
                     *           "status": "ok"
                     *         },
                     *         "queues": {
                     *           "status": "ok"
                     *         },
                     *         "storage": {
                     *           "status": "ok"
                     *         },
                     *         "workers": {
                     *           "status": "ok"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The environment. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "hosts": [
                     *         {
                     *           "worker_id": "text",
                     *           "host": "text",
                     *           "version": "text",
                     *           "started_at": "2026-11-20T10:41:00.000Z",
                     *           "seen_at": "2026-11-20T10:41:00.000Z",
                     *           "slots": 0,
                     *           "running_job_ids": [
                     *             "text"
                     *           ],
                     *           "cpu": null,
                     *           "memory": null,
                     *           "storage": null,
                     *           "node_version": null,
                     *           "platform": null
                     *         }
                     *       ],
                     *       "service": {
                     *         "region": "text",
                     *         "version": "text",
                     *         "node_version": "text",
                     *         "timeout_unit": "text",
                     *         "default_profile": "text",
                     *         "scope_enforcement": false,
                     *         "max_body_bytes": 0,
                     *         "limits": {}
                     *       },
                     *       "profiles": [
                     *         {
                     *           "name": "text",
                     *           "agent": "codex",
                     *           "model": null,
                     *           "is_default": false,
                     *           "source": "built_in"
                     *         }
                     *       ],
                     *       "models": [
                     *         "text"
                     *       ],
                     *       "projects": {
                     *         "items": [
                     *           {
                     *             "id": "text",
                     *             "name": "text",
                     *             "job_counts": {
                     *               "DRAFT": 1,
                     *               "QUEUED": 3,
                     *               "RUNNING": 2,
                     *               "SUCCEEDED": 120,
                     *               "FAILED": 4,
                     *               "CANCELLED": 0
                     *             }
                     *           }
                     *         ],
                     *         "more": false
                     *       },
                     *       "jobs": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "token_usage": {
                     *         "today": {
                     *           "input_tokens": 0,
                     *           "cached_input_tokens": 0,
                     *           "output_tokens": 0,
                     *           "reasoning_output_tokens": 0,
                     *           "cost_usd": 0
                     *         },
                     *         "last_30_days": {
                     *           "input_tokens": 0,
                     *           "cached_input_tokens": 0,
                     *           "output_tokens": 0,
                     *           "reasoning_output_tokens": 0,
                     *           "cost_usd": 0
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Environment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "version": "text",
                     *       "commit": null,
                     *       "region": "text",
                     *       "agents": [
                     *         {
                     *           "name": "codex",
                     *           "installed": false,
                     *           "versions": [
                     *             "text"
                     *           ],
                     *           "max_prompt_length": null,
                     *           "capabilities": {
                     *             "resume": false,
                     *             "steer": false,
                     *             "ask": false,
                     *             "schema": false,
                     *             "gateway": false
                     *           }
                     *         }
                     *       ],
                     *       "models": [
                     *         {
                     *           "name": "text",
                     *           "price": null
                     *         }
                     *       ],
                     *       "limits": {},
                     *       "features": [
                     *         {
                     *           "name": "text",
                     *           "on": false,
                     *           "detail": "text"
                     *         }
                     *       ],
                     *       "stores": [
                     *         {
                     *           "name": "text",
                     *           "service": "text",
                     *           "region": "text",
                     *           "holds": "text"
                     *         }
                     *       ],
                     *       "missing": [
                     *         {
                     *           "name": "text",
                     *           "reason": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Platform"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "statuses": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "jobs": {
                     *         "total": 0,
                     *         "by_status": {
                     *           "DRAFT": 1,
                     *           "QUEUED": 3,
                     *           "RUNNING": 2,
                     *           "SUCCEEDED": 120,
                     *           "FAILED": 4,
                     *           "CANCELLED": 0
                     *         },
                     *         "last_30_days": {
                     *           "succeeded": 0,
                     *           "failed": 0,
                     *           "cancelled": 0,
                     *           "success_rate": null,
                     *           "queue_wait_ms": {
                     *             "count": 0,
                     *             "p50": null,
                     *             "p95": null
                     *           },
                     *           "duration_ms": {
                     *             "count": 0,
                     *             "p50": null,
                     *             "p95": null
                     *           }
                     *         },
                     *         "by_day": [
                     *           {
                     *             "day": "2026-11-20",
                     *             "succeeded": 0,
                     *             "failed": 0,
                     *             "cancelled": 0,
                     *             "success_rate": null,
                     *             "queue_wait_ms": {
                     *               "count": 0,
                     *               "p50": null,
                     *               "p95": null
                     *             },
                     *             "duration_ms": {
                     *               "count": 0,
                     *               "p50": null,
                     *               "p95": null
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "projects": {
                     *         "items": [
                     *           {
                     *             "id": "text",
                     *             "name": "text",
                     *             "job_counts": {
                     *               "DRAFT": 1,
                     *               "QUEUED": 3,
                     *               "RUNNING": 2,
                     *               "SUCCEEDED": 120,
                     *               "FAILED": 4,
                     *               "CANCELLED": 0
                     *             },
                     *             "tokens": {
                     *               "input_tokens": 0,
                     *               "cached_input_tokens": 0,
                     *               "output_tokens": 0,
                     *               "reasoning_output_tokens": 0,
                     *               "cost_usd": 0
                     *             },
                     *             "last_activity_at": "2026-11-20T10:41:00.000Z"
                     *           }
                     *         ],
                     *         "more": false
                     *       },
                     *       "tokens": {
                     *         "last_30_days": {
                     *           "input_tokens": 0,
                     *           "cached_input_tokens": 0,
                     *           "output_tokens": 0,
                     *           "reasoning_output_tokens": 0,
                     *           "cost_usd": 0
                     *         },
                     *         "by_day": [
                     *           {
                     *             "day": "2026-11-20",
                     *             "input_tokens": 0,
                     *             "cached_input_tokens": 0,
                     *             "output_tokens": 0,
                     *             "reasoning_output_tokens": 0,
                     *             "cost_usd": 0
                     *           }
                     *         ],
                     *         "by_model": [
                     *           {
                     *             "model": "text",
                     *             "input_tokens": 0,
                     *             "cached_input_tokens": 0,
                     *             "output_tokens": 0,
                     *             "reasoning_output_tokens": 0,
                     *             "cost_usd": 0
                     *           }
                     *         ],
                     *         "by_project": [
                     *           {
                     *             "project_id": "text",
                     *             "project": "text",
                     *             "input_tokens": 0,
                     *             "cached_input_tokens": 0,
                     *             "output_tokens": 0,
                     *             "reasoning_output_tokens": 0,
                     *             "cost_usd": 0
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description Maximum number of jobs to return. */
                limit?: number;
                /** @description Number of matching jobs to skip. */
                offset?: number;
                /** @description Only jobs with this status. */
                status?: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
                /** @description `answer`: only jobs with an open question of their agent: those that are QUEUED for the answer, and RUNNING ones whose agent still waits for a quick one. */
                needs?: "answer";
                /** @description Only jobs that contain all of these words, in any order and regardless of case and of how letters are composed (Unicode NFKC). The search covers title, tags, project, cwd and the first 8000 characters of the prompt texts, and for words of 6 characters or more also the id. Text in double quotes counts as one word. */
                search?: string;
                /** @description Only jobs with this working folder, as requested or as resolved. */
                cwd?: string;
                /** @description Only jobs of the project with this id or name. */
                project?: string;
                /** @description Only jobs with this profile. */
                profile?: string;
                /** @description Only jobs that this agent ran or will run. */
                agent?: "codex" | "claude" | "shell";
                /** @description Only jobs that request this model or whose newest attempt used it. */
                model?: string;
                /** @description Only jobs with this `created_by`. */
                created_by?: string;
                /** @description Only jobs with this tag. */
                tag?: string;
                /** @description Only jobs that were created from the template with this name. */
                template?: string;
                /** @description Only jobs that the automation with this id or name created. */
                automation?: string;
                /** @description Only jobs of the thread with this id, the id of its first job. Drafts have no turn and are left out. Not with `search`. */
                thread?: string;
                /** @description Only the job with this id and its descendants. Not with `search` or `thread`. */
                tree?: string;
                /** @description Only jobs created at this time or later. */
                created_after?: string;
                /** @description Only jobs created before this time. */
                created_before?: string;
                /** @description Which jobs are listed first. Default: `newest`. */
                order?: "newest" | "oldest";
                /** @description The `next_cursor` of the previous page. Use it with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "project_id": "local_project",
                     *           "project": "local_project",
                     *           "title": null,
                     *           "tags": [],
                     *           "agent": "codex",
                     *           "model_used": null,
                     *           "timeout_effective_seconds": 600,
                     *           "copied_from": null,
                     *           "thread_id": "text",
                     *           "turn": null,
                     *           "continues": null,
                     *           "forked_from": null,
                     *           "automation": null,
                     *           "created_by": "token:ci",
                     *           "profile": "codex",
                     *           "model": null,
                     *           "priority": 0,
                     *           "cwd": null,
                     *           "prompt_preview": "Say hello.",
                     *           "attempt": 1,
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "parent_id": null,
                     *           "root_id": null,
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "queued_at": "2026-11-20T10:41:00.000Z",
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "cancel_requested_at": null
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "total_complete": true,
                     *       "offset": 0,
                     *       "limit": 50,
                     *       "status_counts": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello.",
                 *       "priority": 0,
                 *       "title": "Greeting"
                 *     }
                 */
                "application/json": components["schemas"]["JobCreation"];
            };
        };
        responses: {
            /** @description The job was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The path of the job: `/api/v1/jobs/{id}`. */
                    Location?: string;
                    /** @description `true` if the sender has created a job with this idempotency key before; its id is returned. */
                    "Idempotent-Replayed"?: string;
                    /** @description The fields in which the request differs from the first one with its key, separated by commas. */
                    "Idempotent-Differs"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "url": "https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "replayed": false,
                     *       "differs": []
                     *     }
                     */
                    "application/json": components["schemas"]["JobCreated"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    replaceJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Greeting",
                 *       "prompt": "Say hello.",
                 *       "priority": 0
                 *     }
                 */
                "application/json": components["schemas"]["JobReplacement"];
            };
        };
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello.",
                 *       "priority": 0,
                 *       "title": "Greeting"
                 *     }
                 */
                "application/json": components["schemas"]["JobEdit"];
            };
        };
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    statusJobs: {
        parameters: {
            query?: {
                /** @description How many seconds to wait for the status to change. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "terminal": true
                     *     }
                     */
                    "application/json": components["schemas"]["JobLifecycle"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editDraftJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello.",
                 *       "priority": 0,
                 *       "title": "Greeting"
                 *     }
                 */
                "application/json": components["schemas"]["DraftEdit"];
            };
        };
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    submitJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    cancelJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Whether to cancel all descendants of the job too, even if the job itself has ended. It gets no further ones, unless it is retried.
                     * @default false
                     */
                    tree?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The updated job, with the number of cancelled jobs. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "status": "DRAFT",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 0,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:00.000Z",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "title": null,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "agent": null,
                     *       "model_used": null,
                     *       "timeout_effective_seconds": null,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "text",
                     *       "base_prompt": "text",
                     *       "extra_prompt": null,
                     *       "rule_ids": [
                     *         "text"
                     *       ],
                     *       "profile": "text",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": null,
                     *       "timeout_unit": "text",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": null,
                     *       "folder_kept_until": "2026-11-20T10:41:00.000Z",
                     *       "files_kept_until": "2026-11-20T10:41:00.000Z",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": "2026-11-20T10:41:00.000Z",
                     *       "created_by": "text",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [
                     *         "text"
                     *       ],
                     *       "worker_id": null,
                     *       "exit_code": null,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 0,
                     *         "cached_input_tokens": 0,
                     *         "output_tokens": 0,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": null,
                     *       "stdout_bytes": 0,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 0,
                     *         "cached_input_tokens": 0,
                     *         "output_tokens": 0,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 0,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [
                     *         "text"
                     *       ],
                     *       "deployments": [
                     *         {
                     *           "binding": "text",
                     *           "name": "text",
                     *           "mode": "generic",
                     *           "attempt": 0,
                     *           "state": "pending",
                     *           "attempts": 0,
                     *           "started_at": "2026-11-20T10:41:00.000Z",
                     *           "finished_at": "2026-11-20T10:41:00.000Z",
                     *           "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": {
                     *         "id": "q_7h2j4d6f8a",
                     *         "state": "open",
                     *         "deadline": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "progress": {
                     *         "text": "Tests pass; writing the documentation.",
                     *         "percent": null,
                     *         "at": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "queue": {
                     *         "ahead": 2,
                     *         "ahead_complete": true,
                     *         "held_by": []
                     *       },
                     *       "attempts": null,
                     *       "cancelled_jobs": 0
                     *     }
                     */
                    "application/json": components["schemas"]["CancelledJob"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    killJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Whether to cancel all descendants of the job too, even if the job itself has ended. It gets no further ones, unless it is retried.
                     * @default false
                     */
                    tree?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The updated job, with the number of cancelled jobs. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "status": "DRAFT",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 0,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:00.000Z",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "title": null,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "agent": null,
                     *       "model_used": null,
                     *       "timeout_effective_seconds": null,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "text",
                     *       "base_prompt": "text",
                     *       "extra_prompt": null,
                     *       "rule_ids": [
                     *         "text"
                     *       ],
                     *       "profile": "text",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": null,
                     *       "timeout_unit": "text",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": null,
                     *       "folder_kept_until": "2026-11-20T10:41:00.000Z",
                     *       "files_kept_until": "2026-11-20T10:41:00.000Z",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": "2026-11-20T10:41:00.000Z",
                     *       "created_by": "text",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [
                     *         "text"
                     *       ],
                     *       "worker_id": null,
                     *       "exit_code": null,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 0,
                     *         "cached_input_tokens": 0,
                     *         "output_tokens": 0,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": null,
                     *       "stdout_bytes": 0,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 0,
                     *         "cached_input_tokens": 0,
                     *         "output_tokens": 0,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 0,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [
                     *         "text"
                     *       ],
                     *       "deployments": [
                     *         {
                     *           "binding": "text",
                     *           "name": "text",
                     *           "mode": "generic",
                     *           "attempt": 0,
                     *           "state": "pending",
                     *           "attempts": 0,
                     *           "started_at": "2026-11-20T10:41:00.000Z",
                     *           "finished_at": "2026-11-20T10:41:00.000Z",
                     *           "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": {
                     *         "id": "q_7h2j4d6f8a",
                     *         "state": "open",
                     *         "deadline": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "progress": {
                     *         "text": "Tests pass; writing the documentation.",
                     *         "percent": null,
                     *         "at": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "queue": {
                     *         "ahead": 2,
                     *         "ahead_complete": true,
                     *         "held_by": []
                     *       },
                     *       "attempts": null,
                     *       "cancelled_jobs": 0
                     *     }
                     */
                    "application/json": components["schemas"]["CancelledJob"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    retryJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Where the attempt begins: `start`, with the prompt; `session`, where the agent stopped. Default: `start`.
                     * @enum {string|null}
                     */
                    from?: "start" | "session" | null;
                };
            };
        };
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    rereadLogsJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The updated job, with a list of the corrections. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ],
                     *       "refreshed": [],
                     *       "recovered_follow_up_ids": []
                     *     }
                     */
                    "application/json": components["schemas"]["RereadJob"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeleted"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    questionsJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The questions. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "q_7h2j4d6f8a",
                     *           "job_id": "text",
                     *           "state": "open",
                     *           "question": "Which of the two databases shall I migrate?",
                     *           "options": [
                     *             "text"
                     *           ],
                     *           "default": null,
                     *           "attempt": 0,
                     *           "asked_at": "2026-11-20T10:41:00.000Z",
                     *           "deadline": "2026-11-20T10:41:00.000Z",
                     *           "answer": null,
                     *           "answered_by": "user:ada@example.com",
                     *           "answered_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["QuestionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    answerJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "question_id": "text",
                 *       "answer": "text"
                 *     }
                 */
                "application/json": components["schemas"]["Answer"];
            };
        };
        responses: {
            /** @description The updated job. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "thread_id": "text",
                     *       "turn": null,
                     *       "continues": null,
                     *       "forked_from": null,
                     *       "automation": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "folder": "/workspaces/local_project/job_4k2q0v9m6s8x1c3b5n7h2j4d6f/work",
                     *       "folder_kept_until": "2026-11-27T10:41:09.500Z",
                     *       "files_kept_until": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "root_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "total_usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "version": 5,
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": null,
                     *       "output_deleted_attempt": null,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "template": {
                     *         "name": "text",
                     *         "version": 0,
                     *         "parameters": {}
                     *       },
                     *       "resume_from": null,
                     *       "question": null,
                     *       "progress": null,
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "resumed_from": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    removeJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job was removed. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["JobRemoved"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteOutputJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output is deleted. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "output_deleted_at": "2026-11-20T10:41:00.000Z",
                     *       "output_deleted_by": "text",
                     *       "copies": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OutputDeleted"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    resultJobs: {
        parameters: {
            query?: {
                /** @description Return each stream in full instead of its last 10485760 bytes. */
                full?: "1";
                /** @description Number of the attempt. Default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "duration_ms": 8250,
                     *       "final_message": "Hello.",
                     *       "composed_prompt": "Say hello.",
                     *       "attachments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false,
                     *         "masked": false
                     *       },
                     *       "follow_up_ids": [],
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "stdout": "Hello.\n",
                     *       "stderr": "",
                     *       "stdout_truncated": false,
                     *       "stderr_truncated": false
                     *     }
                     */
                    "application/json": components["schemas"]["JobResult"];
                };
            };
            /** @description The response is larger than 20000000 bytes. Fetch it from `Location` within 60 seconds, without credentials. */
            303: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description A temporary URL of the same JSON. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeleted"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    logsJobs: {
        parameters: {
            query?: {
                /** @description Stream to return. Default: `all`. */
                stream?: "stdout" | "stderr" | "all";
                /** @description Return each stream in full instead of up to 1048576 bytes. */
                full?: "1";
                /** @description Number of the attempt. Default: the newest. With `follow` it can be the next attempt, which the stream waits for. */
                attempt?: number;
                /** @description Byte offset in the stored stream at which to start. Requires `stream=stdout` or `stream=stderr`. Continue with `next_offset`. */
                offset?: number;
                /** @description Maximum number of bytes of each stream to return: from `offset`, or from the end of the stream. No effect with `full` or `follow`. */
                limit?: number;
                /** @description Stream the output as server-sent events while it is written. Requires `Accept: text/event-stream`; `full` has no effect. */
                follow?: "1";
            };
            header?: {
                /** @description With `follow`: the `id` of the last event received, for the same `stream`. The stream continues after it and ignores `offset`. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "attempt": 1,
                     *       "stream": "all",
                     *       "stdout": "Hello.\n",
                     *       "stderr": "",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "stdout_truncated": false,
                     *       "stderr_truncated": false,
                     *       "next_offset": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobLogs"];
                    /**
                     * @example id: 6
                     *     data: {"attempt":1,"stream":"stdout","text":"hello\n","offset":0,"next_offset":6}
                     *
                     *     event: end
                     *     data: {"attempt":1,"status":"SUCCEEDED","state_reason":{"code":"exited","message":"The process ended.","retryable":false}}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The response is larger than 20000000 bytes. Fetch it from `Location` within 60 seconds, without credentials. */
            303: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description A temporary URL of the same JSON. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeleted"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    sessionJobs: {
        parameters: {
            query?: {
                /** @description Number of the attempt. Default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"timestamp":"2026-11-22T10:00:00.000Z","type":"session_meta","payload":{}} */
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeletedOrNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    recordJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The file name to save the download under. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/zip": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "text": "text",
                     *           "status": "pending",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "created_by": "text",
                     *           "delivered_at": "2026-11-20T10:41:00.000Z",
                     *           "attempt": null,
                     *           "reason": null,
                     *           "next_job_id": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MessageList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Leave the tests as they are."
                 *     }
                 */
                "application/json": components["schemas"]["MessageCreation"];
            };
        };
        responses: {
            /** @description The message was accepted. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description `true` if the sender has sent the job a message with this idempotency key before. */
                    "Idempotent-Replayed"?: string;
                    /** @description The fields in which the request differs from the first one with its key, separated by commas. */
                    "Idempotent-Differs"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "replayed": false,
                     *       "differs": []
                     *     }
                     */
                    "application/json": components["schemas"]["MessageAccepted"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listDeployBindings: {
        parameters: {
            query?: {
                /** @description Only bindings of the project with this id or name. */
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bindings, ordered by project and name. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "project_id": "text",
                     *           "project": "text",
                     *           "name": "text",
                     *           "binding_mode": "generic",
                     *           "ready": false,
                     *           "missing": [
                     *             "text"
                     *           ],
                     *           "disabled_reason": null,
                     *           "target_url": null,
                     *           "command": null,
                     *           "open_url": null,
                     *           "framework": null,
                     *           "install_command": null,
                     *           "build_command": null,
                     *           "deploy_command": null,
                     *           "timeout_seconds": null,
                     *           "commands": [
                     *             "text"
                     *           ],
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBindingList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    writeDeployBindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "binding_mode": "generic",
                 *       "target_url": "https://ci.example.com/hook",
                 *       "open_url": "https://editor.example.com/?folder={cwd}"
                 *     }
                 */
                "application/json": components["schemas"]["DeployBindingWrite"];
            };
        };
        responses: {
            /** @description The binding was updated. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "binding_mode": "generic",
                     *       "ready": false,
                     *       "missing": [
                     *         "text"
                     *       ],
                     *       "disabled_reason": null,
                     *       "target_url": null,
                     *       "command": null,
                     *       "open_url": null,
                     *       "framework": null,
                     *       "install_command": null,
                     *       "build_command": null,
                     *       "deploy_command": null,
                     *       "timeout_seconds": null,
                     *       "commands": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBinding"];
                };
            };
            /** @description The binding was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "binding_mode": "generic",
                     *       "ready": false,
                     *       "missing": [
                     *         "text"
                     *       ],
                     *       "disabled_reason": null,
                     *       "target_url": null,
                     *       "command": null,
                     *       "open_url": null,
                     *       "framework": null,
                     *       "install_command": null,
                     *       "build_command": null,
                     *       "deploy_command": null,
                     *       "timeout_seconds": null,
                     *       "commands": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBinding"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteDeployBindings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the deploy binding. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted binding. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "binding_mode": "generic",
                     *       "ready": false,
                     *       "missing": [
                     *         "text"
                     *       ],
                     *       "disabled_reason": null,
                     *       "target_url": null,
                     *       "command": null,
                     *       "open_url": null,
                     *       "framework": null,
                     *       "install_command": null,
                     *       "build_command": null,
                     *       "deploy_command": null,
                     *       "timeout_seconds": null,
                     *       "commands": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBinding"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    retryDeployments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
                /** @description The id of the deploy binding. */
                binding: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The deployment, pending again. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "binding": "text",
                     *       "name": "text",
                     *       "mode": "generic",
                     *       "attempt": 0,
                     *       "state": "pending",
                     *       "attempts": 0,
                     *       "started_at": "2026-11-20T10:41:00.000Z",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["JobDeployment"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account, without any credential. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    logoutCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated account. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    startCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The login is in progress. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    cancelCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The updated account. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of projects, ordered by id. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "workspace": "text",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "last_activity_at": "2026-11-20T10:41:00.000Z",
                     *           "job_counts": {
                     *             "DRAFT": 1,
                     *             "QUEUED": 3,
                     *             "RUNNING": 2,
                     *             "SUCCEEDED": 120,
                     *             "FAILED": 4,
                     *             "CANCELLED": 0
                     *           },
                     *           "repository": null,
                     *           "ref": null,
                     *           "setup": null,
                     *           "secret": null,
                     *           "exclusive_cwd": false
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of rules, ordered by id. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "text": "text",
                     *           "source": "built_in",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listProfiles: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles: the built-in ones first, each group ordered by name. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "text",
                     *           "agent": "codex",
                     *           "model": null,
                     *           "args": [
                     *             "text"
                     *           ],
                     *           "env": {},
                     *           "sandbox": "workspace-write",
                     *           "timeout": null,
                     *           "timeout_unit": "text",
                     *           "retries": 0,
                     *           "concurrency": null,
                     *           "resume": "auto",
                     *           "drive": "auto",
                     *           "tools": "on",
                     *           "follow_ups": "on",
                     *           "children": [
                     *             "text"
                     *           ],
                     *           "vendor": "own",
                     *           "is_default": false,
                     *           "source": "built_in",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProfileList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the rule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted rule. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "text": "text",
                     *       "source": "built_in",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Rule"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the profile. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted profile. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "agent": "codex",
                     *       "model": null,
                     *       "args": [
                     *         "text"
                     *       ],
                     *       "env": {},
                     *       "sandbox": "workspace-write",
                     *       "timeout": null,
                     *       "timeout_unit": "text",
                     *       "retries": 0,
                     *       "concurrency": null,
                     *       "resume": "auto",
                     *       "drive": "auto",
                     *       "tools": "on",
                     *       "follow_ups": "on",
                     *       "children": [
                     *         "text"
                     *       ],
                     *       "vendor": "own",
                     *       "is_default": false,
                     *       "source": "built_in",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["InvalidStateOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates, ordered by name. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "upgrade",
                     *           "version": 1,
                     *           "description": null,
                     *           "prompt": "text",
                     *           "extra_prompt": null,
                     *           "title": null,
                     *           "parameters": [
                     *             {
                     *               "name": "package",
                     *               "type": "string",
                     *               "description": null,
                     *               "required": false,
                     *               "pattern": null,
                     *               "values": null
                     *             }
                     *           ],
                     *           "environment": false,
                     *           "rule_ids": null,
                     *           "profile": null,
                     *           "model": null,
                     *           "priority": null,
                     *           "timeout": null,
                     *           "retries": null,
                     *           "tags": null,
                     *           "cwd": null,
                     *           "project": null,
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readTemplates: {
        parameters: {
            query?: {
                /** @description The version. Default: the newest. Versions of a deleted template are found by this only. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version of the template. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "upgrade",
                     *       "version": 1,
                     *       "description": null,
                     *       "prompt": "text",
                     *       "extra_prompt": null,
                     *       "title": null,
                     *       "parameters": [
                     *         {
                     *           "name": "package",
                     *           "type": "string",
                     *           "description": null,
                     *           "required": false,
                     *           "pattern": null,
                     *           "values": null
                     *         }
                     *       ],
                     *       "environment": false,
                     *       "rule_ids": null,
                     *       "profile": null,
                     *       "model": null,
                     *       "priority": null,
                     *       "timeout": null,
                     *       "retries": null,
                     *       "tags": null,
                     *       "cwd": null,
                     *       "project": null,
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    writeTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Upgrades a package.",
                 *       "prompt": "Upgrade {{package}} and run the tests.",
                 *       "parameters": [
                 *         {
                 *           "name": "package",
                 *           "type": "string",
                 *           "pattern": "[a-z0-9@/-]+"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TemplateWrite"];
            };
        };
        responses: {
            /** @description The template, which existed before. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "upgrade",
                     *       "version": 1,
                     *       "description": null,
                     *       "prompt": "text",
                     *       "extra_prompt": null,
                     *       "title": null,
                     *       "parameters": [
                     *         {
                     *           "name": "package",
                     *           "type": "string",
                     *           "description": null,
                     *           "required": false,
                     *           "pattern": null,
                     *           "values": null
                     *         }
                     *       ],
                     *       "environment": false,
                     *       "rule_ids": null,
                     *       "profile": null,
                     *       "model": null,
                     *       "priority": null,
                     *       "timeout": null,
                     *       "retries": null,
                     *       "tags": null,
                     *       "cwd": null,
                     *       "project": null,
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description The template, which was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "upgrade",
                     *       "version": 1,
                     *       "description": null,
                     *       "prompt": "text",
                     *       "extra_prompt": null,
                     *       "title": null,
                     *       "parameters": [
                     *         {
                     *           "name": "package",
                     *           "type": "string",
                     *           "description": null,
                     *           "required": false,
                     *           "pattern": null,
                     *           "values": null
                     *         }
                     *       ],
                     *       "environment": false,
                     *       "rule_ids": null,
                     *       "profile": null,
                     *       "model": null,
                     *       "priority": null,
                     *       "timeout": null,
                     *       "retries": null,
                     *       "tags": null,
                     *       "cwd": null,
                     *       "project": null,
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest version of the deleted template. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "upgrade",
                     *       "version": 1,
                     *       "description": null,
                     *       "prompt": "text",
                     *       "extra_prompt": null,
                     *       "title": null,
                     *       "parameters": [
                     *         {
                     *           "name": "package",
                     *           "type": "string",
                     *           "description": null,
                     *           "required": false,
                     *           "pattern": null,
                     *           "values": null
                     *         }
                     *       ],
                     *       "environment": false,
                     *       "rule_ids": null,
                     *       "profile": null,
                     *       "model": null,
                     *       "priority": null,
                     *       "timeout": null,
                     *       "retries": null,
                     *       "tags": null,
                     *       "cwd": null,
                     *       "project": null,
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    versionsTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions, newest first. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "version": 1,
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateVersions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    renderTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RenderRequest"];
            };
        };
        responses: {
            /** @description The prompts and settings. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "version": 1,
                     *       "parameters": {},
                     *       "prompt": "text",
                     *       "extra_prompt": null,
                     *       "title": null,
                     *       "environment": false,
                     *       "rule_ids": null,
                     *       "profile": null,
                     *       "model": null,
                     *       "priority": null,
                     *       "timeout": null,
                     *       "retries": null,
                     *       "tags": null,
                     *       "cwd": null,
                     *       "project": null
                     *     }
                     */
                    "application/json": components["schemas"]["RenderedTemplate"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    importConfig: {
        parameters: {
            query?: {
                /** @description Report what the import would change, without changing it. */
                dry_run?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["ConfigDocument"];
            };
        };
        responses: {
            /** @description What the import changed, or would change with `dry_run`. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dry_run": false,
                     *       "rules": {
                     *         "created": [
                     *           "text"
                     *         ],
                     *         "updated": [
                     *           "text"
                     *         ],
                     *         "unchanged": [
                     *           "text"
                     *         ]
                     *       },
                     *       "profiles": {
                     *         "created": [
                     *           "text"
                     *         ],
                     *         "updated": [
                     *           "text"
                     *         ],
                     *         "unchanged": [
                     *           "text"
                     *         ]
                     *       },
                     *       "templates": {
                     *         "created": [
                     *           "text"
                     *         ],
                     *         "updated": [
                     *           "text"
                     *         ],
                     *         "unchanged": [
                     *           "text"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    exportConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration document. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["ConfigDocumentOutput"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listAttachments: {
        parameters: {
            query?: {
                /** @description Number of the attempt. Default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachments of one attempt. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "attempt": 0,
                     *       "items": [
                     *         {
                     *           "name": "report%2Fsummary.md",
                     *           "path": "report/summary.md",
                     *           "bytes": 0,
                     *           "sha256": "text",
                     *           "content_type": "text",
                     *           "attempt": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AttachmentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeleted"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readAttachments: {
        parameters: {
            query?: {
                /** @description Number of the attempt. Default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
                /** @description The `name` of the attachment in the list, percent-encoded. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The file name to save the download under. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/octet-stream": string;
                };
            };
            /** @description The file is larger than 20000000 bytes. Fetch it from `Location` within 60 seconds, without credentials. */
            303: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description A temporary URL of the file. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeletedOrNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description Number of the attempt. Default: the newest that has ended. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files, as one attempt left them. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "attempt": 0,
                     *       "selection": null,
                     *       "note": null,
                     *       "items": [
                     *         {
                     *           "path": "src/main.py",
                     *           "bytes": 0,
                     *           "executable": false,
                     *           "kept": false,
                     *           "reason": null,
                     *           "sha256": null,
                     *           "masked": false,
                     *           "content_type": "text"
                     *         }
                     *       ],
                     *       "not_listed": [
                     *         {
                     *           "reason": "name",
                     *           "count": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["JobFileList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeleted"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readFiles: {
        parameters: {
            query: {
                /** @description Number of the attempt. Default: the newest that has ended. */
                attempt?: number;
                /** @description The `path` of the file in the list. */
                path: string;
            };
            header?: never;
            path: {
                /** @description The id of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The file name to save the download under. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrOutputDeletedOrNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteProjects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted project. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "workspace": "text",
                     *       "repository": null,
                     *       "ref": null,
                     *       "setup": null,
                     *       "secret": null,
                     *       "exclusive_cwd": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectSettings"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editProjects: {
        parameters: {
            query?: {
                /** @description Create the project, under this name, if there is none. */
                create?: "1";
            };
            header?: never;
            path: {
                /** @description The id or name of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repository": "https://git.example.com/team/app.git"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectEdit"];
            };
        };
        responses: {
            /** @description The updated project. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "workspace": "text",
                     *       "repository": null,
                     *       "ref": null,
                     *       "setup": null,
                     *       "secret": null,
                     *       "exclusive_cwd": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectSettings"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listParameters: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The parameters, ordered by name. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "text",
                     *           "value": "text",
                     *           "description": null,
                     *           "variable": "text",
                     *           "project_id": "text",
                     *           "project": "text",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ParameterList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    writeParameters: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
                project?: string;
            };
            header?: never;
            path: {
                /** @description The name of the parameter. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "eu-central-1"
                 *     }
                 */
                "application/json": components["schemas"]["ParameterWrite"];
            };
        };
        responses: {
            /** @description The parameter was changed, or had this value. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "value": "text",
                     *       "description": null,
                     *       "variable": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Parameter"];
                };
            };
            /** @description The parameter was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "value": "text",
                     *       "description": null,
                     *       "variable": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Parameter"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteParameters: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters. */
                project?: string;
            };
            header?: never;
            path: {
                /** @description The name of the parameter. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted parameter. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "value": "text",
                     *       "description": null,
                     *       "variable": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Parameter"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listDiagrams: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. */
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The diagrams, ordered by name. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "project_id": "text",
                     *           "project": "text",
                     *           "name": "text",
                     *           "bytes": 0,
                     *           "source_job": null,
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DiagramList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readDiagrams: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. */
                project?: string;
            };
            header?: never;
            path: {
                /** @description The name of the diagram. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The diagram. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "bytes": 0,
                     *       "source_job": null,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "text": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["Diagram"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    writeDiagrams: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. */
                project?: string;
            };
            header?: never;
            path: {
                /** @description The name of the diagram. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "flowchart LR\n  Order --> Invoice"
                 *     }
                 */
                "application/json": components["schemas"]["DiagramWrite"];
            };
        };
        responses: {
            /** @description The diagram was replaced. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "bytes": 0,
                     *       "source_job": null,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "text": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["Diagram"];
                };
            };
            /** @description The diagram was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "bytes": 0,
                     *       "source_job": null,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "text": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["Diagram"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteDiagrams: {
        parameters: {
            query?: {
                /** @description Id or name of the project. Default: `local_project`. */
                project?: string;
            };
            header?: never;
            path: {
                /** @description The name of the diagram. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted diagram. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "bytes": 0,
                     *       "source_job": null,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "text": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["Diagram"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listAutomations: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Adds to each automation what is due from this time on, in `due`. Default: now. */
                due_from?: string;
                /** @description Adds to each automation what is due before this time, in `due`, at most 8 days. Pages then have at most 20 automations. */
                due_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of automations, ordered by id. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "project": "text",
                     *           "trigger": {
                     *             "schedule": null,
                     *             "hook": null,
                     *             "event": null
                     *           },
                     *           "job": {
                     *             "prompt": "Update the dependencies and run the tests.",
                     *             "priority": 0,
                     *             "title": "Greeting"
                     *           },
                     *           "overlap": "skip",
                     *           "missed": "skip",
                     *           "jitter": 0,
                     *           "pause_after_failures": 0,
                     *           "enabled": false,
                     *           "enabled_until": "2026-11-20T10:41:00.000Z",
                     *           "owner": "text",
                     *           "state": "active",
                     *           "state_reason": null,
                     *           "next_runs": [
                     *             {
                     *               "due_at": "2026-11-20T10:41:00.000Z",
                     *               "starts_at": "2026-11-20T10:41:00.000Z",
                     *               "local": "2026-11-30T03:00:00+01:00"
                     *             }
                     *           ],
                     *           "due": null,
                     *           "notes": [
                     *             "text"
                     *           ],
                     *           "last_run": {
                     *             "due_at": "2026-11-20T10:41:00.000Z",
                     *             "last_due_at": "2026-11-20T10:41:00.000Z",
                     *             "count": 0,
                     *             "trigger": "schedule",
                     *             "event_id": null,
                     *             "outcome": "fired",
                     *             "reason": null,
                     *             "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *             "late_seconds": 0,
                     *             "job_id": null,
                     *             "job_status": null
                     *           },
                     *           "failures_in_row": 0,
                     *           "last_success_at": "2026-11-20T10:41:00.000Z",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "updated_at": "2026-11-20T10:41:00.000Z",
                     *           "version": 0
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createAutomations: {
        parameters: {
            query?: {
                /** @description Check the request and show its next instants, without storing anything. */
                dry_run?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly dependency update",
                 *       "trigger": {
                 *         "schedule": {
                 *           "cron": "0 3 * * MON-FRI",
                 *           "timezone": "Europe/Berlin"
                 *         }
                 *       },
                 *       "job": {
                 *         "prompt": "Update the dependencies and run the tests.",
                 *         "priority": 0,
                 *         "title": "Greeting"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AutomationCreation"];
            };
        };
        responses: {
            /** @description With `dry_run`: what would be created. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "project": "text",
                     *       "trigger": {
                     *         "schedule": null,
                     *         "hook": null,
                     *         "event": null
                     *       },
                     *       "job": {
                     *         "prompt": "Update the dependencies and run the tests.",
                     *         "priority": 0,
                     *         "title": "Greeting"
                     *       },
                     *       "overlap": "skip",
                     *       "missed": "skip",
                     *       "jitter": 0,
                     *       "pause_after_failures": 0,
                     *       "enabled": false,
                     *       "enabled_until": "2026-11-20T10:41:00.000Z",
                     *       "owner": "text",
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "next_runs": [
                     *         {
                     *           "due_at": "2026-11-20T10:41:00.000Z",
                     *           "starts_at": "2026-11-20T10:41:00.000Z",
                     *           "local": "2026-11-30T03:00:00+01:00"
                     *         }
                     *       ],
                     *       "due": null,
                     *       "notes": [
                     *         "text"
                     *       ],
                     *       "last_run": {
                     *         "due_at": "2026-11-20T10:41:00.000Z",
                     *         "last_due_at": "2026-11-20T10:41:00.000Z",
                     *         "count": 0,
                     *         "trigger": "schedule",
                     *         "event_id": null,
                     *         "outcome": "fired",
                     *         "reason": null,
                     *         "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *         "late_seconds": 0,
                     *         "job_id": null,
                     *         "job_status": null
                     *       },
                     *       "failures_in_row": 0,
                     *       "last_success_at": "2026-11-20T10:41:00.000Z",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "version": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Automation"];
                };
            };
            /** @description The automation was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The path of the automation: `/api/v1/automations/{id}`. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "project": "text",
                     *       "trigger": {
                     *         "schedule": null,
                     *         "hook": null,
                     *         "event": null
                     *       },
                     *       "job": {
                     *         "prompt": "Update the dependencies and run the tests.",
                     *         "priority": 0,
                     *         "title": "Greeting"
                     *       },
                     *       "overlap": "skip",
                     *       "missed": "skip",
                     *       "jitter": 0,
                     *       "pause_after_failures": 0,
                     *       "enabled": false,
                     *       "enabled_until": "2026-11-20T10:41:00.000Z",
                     *       "owner": "text",
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "next_runs": [
                     *         {
                     *           "due_at": "2026-11-20T10:41:00.000Z",
                     *           "starts_at": "2026-11-20T10:41:00.000Z",
                     *           "local": "2026-11-30T03:00:00+01:00"
                     *         }
                     *       ],
                     *       "due": null,
                     *       "notes": [
                     *         "text"
                     *       ],
                     *       "last_run": {
                     *         "due_at": "2026-11-20T10:41:00.000Z",
                     *         "last_due_at": "2026-11-20T10:41:00.000Z",
                     *         "count": 0,
                     *         "trigger": "schedule",
                     *         "event_id": null,
                     *         "outcome": "fired",
                     *         "reason": null,
                     *         "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *         "late_seconds": 0,
                     *         "job_id": null,
                     *         "job_status": null
                     *       },
                     *       "failures_in_row": 0,
                     *       "last_success_at": "2026-11-20T10:41:00.000Z",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "version": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The automation. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "project": "text",
                     *       "trigger": {
                     *         "schedule": null,
                     *         "hook": null,
                     *         "event": null
                     *       },
                     *       "job": {
                     *         "prompt": "Update the dependencies and run the tests.",
                     *         "priority": 0,
                     *         "title": "Greeting"
                     *       },
                     *       "overlap": "skip",
                     *       "missed": "skip",
                     *       "jitter": 0,
                     *       "pause_after_failures": 0,
                     *       "enabled": false,
                     *       "enabled_until": "2026-11-20T10:41:00.000Z",
                     *       "owner": "text",
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "next_runs": [
                     *         {
                     *           "due_at": "2026-11-20T10:41:00.000Z",
                     *           "starts_at": "2026-11-20T10:41:00.000Z",
                     *           "local": "2026-11-30T03:00:00+01:00"
                     *         }
                     *       ],
                     *       "due": null,
                     *       "notes": [
                     *         "text"
                     *       ],
                     *       "last_run": {
                     *         "due_at": "2026-11-20T10:41:00.000Z",
                     *         "last_due_at": "2026-11-20T10:41:00.000Z",
                     *         "count": 0,
                     *         "trigger": "schedule",
                     *         "event_id": null,
                     *         "outcome": "fired",
                     *         "reason": null,
                     *         "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *         "late_seconds": 0,
                     *         "job_id": null,
                     *         "job_status": null
                     *       },
                     *       "failures_in_row": 0,
                     *       "last_success_at": "2026-11-20T10:41:00.000Z",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "version": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted automation. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "project": "text",
                     *       "trigger": {
                     *         "schedule": null,
                     *         "hook": null,
                     *         "event": null
                     *       },
                     *       "job": {
                     *         "prompt": "Update the dependencies and run the tests.",
                     *         "priority": 0,
                     *         "title": "Greeting"
                     *       },
                     *       "overlap": "skip",
                     *       "missed": "skip",
                     *       "jitter": 0,
                     *       "pause_after_failures": 0,
                     *       "enabled": false,
                     *       "enabled_until": "2026-11-20T10:41:00.000Z",
                     *       "owner": "text",
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "next_runs": [
                     *         {
                     *           "due_at": "2026-11-20T10:41:00.000Z",
                     *           "starts_at": "2026-11-20T10:41:00.000Z",
                     *           "local": "2026-11-30T03:00:00+01:00"
                     *         }
                     *       ],
                     *       "due": null,
                     *       "notes": [
                     *         "text"
                     *       ],
                     *       "last_run": {
                     *         "due_at": "2026-11-20T10:41:00.000Z",
                     *         "last_due_at": "2026-11-20T10:41:00.000Z",
                     *         "count": 0,
                     *         "trigger": "schedule",
                     *         "event_id": null,
                     *         "outcome": "fired",
                     *         "reason": null,
                     *         "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *         "late_seconds": 0,
                     *         "job_id": null,
                     *         "job_status": null
                     *       },
                     *       "failures_in_row": 0,
                     *       "last_success_at": "2026-11-20T10:41:00.000Z",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "version": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editAutomations: {
        parameters: {
            query?: {
                /** @description Check the request and show its next instants, without storing anything. */
                dry_run?: "1";
            };
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trigger": {
                 *         "schedule": {
                 *           "cron": "0 3 * * MON-FRI",
                 *           "timezone": "Europe/Berlin"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AutomationEdit"];
            };
        };
        responses: {
            /** @description The updated automation. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "project": "text",
                     *       "trigger": {
                     *         "schedule": null,
                     *         "hook": null,
                     *         "event": null
                     *       },
                     *       "job": {
                     *         "prompt": "Update the dependencies and run the tests.",
                     *         "priority": 0,
                     *         "title": "Greeting"
                     *       },
                     *       "overlap": "skip",
                     *       "missed": "skip",
                     *       "jitter": 0,
                     *       "pause_after_failures": 0,
                     *       "enabled": false,
                     *       "enabled_until": "2026-11-20T10:41:00.000Z",
                     *       "owner": "text",
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "next_runs": [
                     *         {
                     *           "due_at": "2026-11-20T10:41:00.000Z",
                     *           "starts_at": "2026-11-20T10:41:00.000Z",
                     *           "local": "2026-11-30T03:00:00+01:00"
                     *         }
                     *       ],
                     *       "due": null,
                     *       "notes": [
                     *         "text"
                     *       ],
                     *       "last_run": {
                     *         "due_at": "2026-11-20T10:41:00.000Z",
                     *         "last_due_at": "2026-11-20T10:41:00.000Z",
                     *         "count": 0,
                     *         "trigger": "schedule",
                     *         "event_id": null,
                     *         "outcome": "fired",
                     *         "reason": null,
                     *         "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *         "late_seconds": 0,
                     *         "job_id": null,
                     *         "job_status": null
                     *       },
                     *       "failures_in_row": 0,
                     *       "last_success_at": "2026-11-20T10:41:00.000Z",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z",
                     *       "version": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    runAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The path of the job: `/api/v1/jobs/{id}`. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationStarted"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    runsAutomations: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "due_at": "2026-11-20T10:41:00.000Z",
                     *           "last_due_at": "2026-11-20T10:41:00.000Z",
                     *           "count": 0,
                     *           "trigger": "schedule",
                     *           "event_id": null,
                     *           "outcome": "fired",
                     *           "reason": null,
                     *           "evaluated_at": "2026-11-20T10:41:00.000Z",
                     *           "late_seconds": 0,
                     *           "job_id": null,
                     *           "job_status": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRunList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deliveriesAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "received_at": "2026-11-20T10:41:00.000Z",
                     *           "kind": "sent",
                     *           "resent_of": null,
                     *           "sender_id": null,
                     *           "event": null,
                     *           "bytes": 0,
                     *           "body": "text",
                     *           "outcome": "accepted",
                     *           "reason": null,
                     *           "job_id": null
                     *         }
                     *       ],
                     *       "refused": [
                     *         {
                     *           "code": "signature",
                     *           "message": "text",
                     *           "at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["HookDeliveryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deliverAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "text"
                 *     }
                 */
                "application/json": components["schemas"]["HookTestDelivery"];
            };
        };
        responses: {
            /** @description The delivery was stored. The list says what becomes of it. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["HookAccepted"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    resendAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
                /** @description The id of the delivery. */
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery was stored. The list says what becomes of it. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["HookAccepted"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    secretAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["HookSecretChange"];
            };
        };
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["HookSecret"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only events after this one: the `id` of an event, or the `next_cursor` of a page. `end`: only events that are still to come. */
                after?: string;
                /** @description Without `after`: only events that were recorded at this time or later. Default: all. */
                since?: string;
                /** @description Maximum number of events to return. */
                limit?: number;
                /** @description Seconds to wait for an event if there is none yet. A client that follows the feed repeats that call. */
                wait?: number;
                /** @description Only events of the job with this id, and of its deployments. */
                job?: string;
                /** @description Only events of the project with this id or name. */
                project?: string;
                /** @description Only events of these types, separated by commas: job.created, job.removed, job.succeeded, job.failed, job.cancelled, attempt.started, question.opened, question.answered, question.expired, question.withdrawn, attempt.ended, job.queued, message.accepted, output.deleted, cancel.requested, job.waiting, job.ready, job.updated, deployment.succeeded, deployment.failed, automation.paused, automation.failed, automation.skipped, automation.late, account.required, account.limit, account.linked, worker.launch_failed. */
                type?: string;
                /** @description Only events of jobs that were created from this template. */
                template?: string;
                /** @description Only events of this automation, and of jobs that it created. */
                automation?: string;
            };
            header?: {
                /** @description With `Accept: text/event-stream`: the `id` of the last event received. It takes precedence over `after`. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "1042-1",
                     *           "type": "job.created",
                     *           "time": "2026-11-20T10:41:00.000Z",
                     *           "job_id": null,
                     *           "sequence": null,
                     *           "project_id": null,
                     *           "project": null,
                     *           "status": "RUNNING",
                     *           "reason": "claimed",
                     *           "attempt": null,
                     *           "question": null,
                     *           "profile": null,
                     *           "created_by": null,
                     *           "template": null,
                     *           "automation": null,
                     *           "subject": null
                     *         }
                     *       ],
                     *       "next_cursor": "text",
                     *       "has_more": false,
                     *       "missed": false
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                    /**
                     * @example id: 1042-1
                     *     data: {"id":"1042-1","type":"job.succeeded","time":"2026-11-20T10:41:00.000Z","job_id":"job_4k2q0v9m6s8x1c3b5n7h2j4d6f","sequence":3}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscriptions, ordered by id. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "target": {},
                     *           "events": [
                     *             "text"
                     *           ],
                     *           "filter": {
                     *             "project": null,
                     *             "profile": null,
                     *             "template": null,
                     *             "automation": null,
                     *             "creator": null
                     *           },
                     *           "digest": "none",
                     *           "answers_from": [
                     *             "text"
                     *           ],
                     *           "enabled": false,
                     *           "state": "active",
                     *           "state_reason": null,
                     *           "failing_since": "2026-11-20T10:41:00.000Z",
                     *           "last_delivery": null,
                     *           "dropped": 0,
                     *           "created_by": "text",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "On call",
                 *       "target": {
                 *         "webhook": {
                 *           "url": "https://hooks.example.com/promptq"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionCreation"];
            };
        };
        responses: {
            /** @description The subscription was created. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    /** @description The path of the subscription: `/api/v1/subscriptions/{id}`. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "target": {},
                     *       "events": [
                     *         "text"
                     *       ],
                     *       "filter": {
                     *         "project": null,
                     *         "profile": null,
                     *         "template": null,
                     *         "automation": null,
                     *         "creator": null
                     *       },
                     *       "digest": "none",
                     *       "answers_from": [
                     *         "text"
                     *       ],
                     *       "enabled": false,
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "failing_since": "2026-11-20T10:41:00.000Z",
                     *       "last_delivery": null,
                     *       "dropped": 0,
                     *       "created_by": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "target": {},
                     *       "events": [
                     *         "text"
                     *       ],
                     *       "filter": {
                     *         "project": null,
                     *         "profile": null,
                     *         "template": null,
                     *         "automation": null,
                     *         "creator": null
                     *       },
                     *       "digest": "none",
                     *       "answers_from": [
                     *         "text"
                     *       ],
                     *       "enabled": false,
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "failing_since": "2026-11-20T10:41:00.000Z",
                     *       "last_delivery": null,
                     *       "dropped": 0,
                     *       "created_by": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted subscription. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "target": {},
                     *       "events": [
                     *         "text"
                     *       ],
                     *       "filter": {
                     *         "project": null,
                     *         "profile": null,
                     *         "template": null,
                     *         "automation": null,
                     *         "creator": null
                     *       },
                     *       "digest": "none",
                     *       "answers_from": [
                     *         "text"
                     *       ],
                     *       "enabled": false,
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "failing_since": "2026-11-20T10:41:00.000Z",
                     *       "last_delivery": null,
                     *       "dropped": 0,
                     *       "created_by": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target": {
                 *         "webhook": {
                 *           "url": "https://hooks.example.com/promptq"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionEdit"];
            };
        };
        responses: {
            /** @description The updated subscription. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "target": {},
                     *       "events": [
                     *         "text"
                     *       ],
                     *       "filter": {
                     *         "project": null,
                     *         "profile": null,
                     *         "template": null,
                     *         "automation": null,
                     *         "creator": null
                     *       },
                     *       "digest": "none",
                     *       "answers_from": [
                     *         "text"
                     *       ],
                     *       "enabled": false,
                     *       "state": "active",
                     *       "state_reason": null,
                     *       "failing_since": "2026-11-20T10:41:00.000Z",
                     *       "last_delivery": null,
                     *       "dropped": 0,
                     *       "created_by": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    testSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being sent. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "kind": "event",
                     *       "events": [
                     *         {
                     *           "id": null,
                     *           "type": "text",
                     *           "job_id": null,
                     *           "sequence": null
                     *         }
                     *       ],
                     *       "state": "pending",
                     *       "attempts": 0,
                     *       "status": null,
                     *       "error": null,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "last_attempt_at": "2026-11-20T10:41:00.000Z",
                     *       "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deliveriesSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "kind": "event",
                     *           "events": [
                     *             {
                     *               "id": null,
                     *               "type": "text",
                     *               "job_id": null,
                     *               "sequence": null
                     *             }
                     *           ],
                     *           "state": "pending",
                     *           "attempts": 0,
                     *           "status": null,
                     *           "error": null,
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "last_attempt_at": "2026-11-20T10:41:00.000Z",
                     *           "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    resendSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or name of the subscription. */
                id: string;
                /** @description The id of the delivery. */
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being sent. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "kind": "event",
                     *       "events": [
                     *         {
                     *           "id": null,
                     *           "type": "text",
                     *           "job_id": null,
                     *           "sequence": null
                     *         }
                     *       ],
                     *       "state": "pending",
                     *       "attempts": 0,
                     *       "status": null,
                     *       "error": null,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "last_attempt_at": "2026-11-20T10:41:00.000Z",
                     *       "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI 3.0.3 document. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.0.3"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listAuditLogs: {
        parameters: {
            query?: {
                /** @description Maximum number of entries to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Use it with the same filters. */
                cursor?: string;
                /** @description Only entries of this principal, such as `token:ci`, `user:ada@example.com` or `job:` and the id of a job. */
                actor?: string;
                /** @description Only entries with this action, such as `jobs.cancel`. */
                action?: string;
                /** @description Only entries at this time or later. */
                since?: string;
                /** @description Only entries before this time. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit log entries. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "at": "2026-11-20T10:41:00.000Z",
                     *           "actor": "token:ci",
                     *           "action": "jobs.cancel",
                     *           "target": {
                     *             "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f"
                     *           },
                     *           "source_ip": "203.0.113.9",
                     *           "status": 200,
                     *           "request_id": "text"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listExports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exports. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "kind": "jobs",
                     *           "format": "jsonl",
                     *           "filter": {},
                     *           "status": "queued",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "created_by": "text",
                     *           "finished_at": "2026-11-20T10:41:00.000Z",
                     *           "expires_at": "2026-11-20T10:41:00.000Z",
                     *           "progress": {
                     *             "rows": 0,
                     *             "bytes": 0,
                     *             "reached": "2026-11-20T10:41:00.000Z"
                     *           },
                     *           "error": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExportList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createExports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "jobs",
                 *       "format": "csv",
                 *       "filter": {
                 *         "project": "web"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ExportCreation"];
            };
        };
        responses: {
            /** @description The export was accepted. */
            202: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "kind": "jobs",
                     *       "format": "jsonl",
                     *       "filter": {},
                     *       "status": "queued",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "created_by": "text",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "progress": {
                     *         "rows": 0,
                     *         "bytes": 0,
                     *         "reached": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "error": null,
                     *       "url": null,
                     *       "raw_url": null,
                     *       "url_expires_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readExports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "kind": "jobs",
                     *       "format": "jsonl",
                     *       "filter": {},
                     *       "status": "queued",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "created_by": "text",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "progress": {
                     *         "rows": 0,
                     *         "bytes": 0,
                     *         "reached": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "error": null,
                     *       "url": null,
                     *       "raw_url": null,
                     *       "url_expires_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteExports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted export. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "kind": "jobs",
                     *       "format": "jsonl",
                     *       "filter": {},
                     *       "status": "queued",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "created_by": "text",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "progress": {
                     *         "rows": 0,
                     *         "bytes": 0,
                     *         "reached": "2026-11-20T10:41:00.000Z"
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["ExportSummary"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "token",
                     *       "name": "user:ada@example.com",
                     *       "email": null,
                     *       "role": null,
                     *       "scopes": null,
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token has full access.",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "session_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Caller"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "user:ada@example.com",
                     *           "email": null,
                     *           "role": "viewer",
                     *           "browser": "Firefox on Linux",
                     *           "address": "203.0.113.7",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "last_used_at": "2026-11-20T10:41:00.000Z",
                     *           "expires_at": "2026-11-20T10:41:00.000Z",
                     *           "current": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "scopes": [
                     *             "read"
                     *           ],
                     *           "scopes_enforced": false,
                     *           "scopes_note": "Scopes are not enforced here: this token has full access.",
                     *           "state": "active",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "expires_at": "2026-11-20T10:41:00.000Z",
                     *           "last_used_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly build",
                 *       "expires_at": "2027-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["TokenCreation"];
            };
        };
        responses: {
            /** @description The new token. */
            201: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token has full access.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z",
                     *       "token": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    suspendTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The updated token. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token has full access.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    resumeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The updated token. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token has full access.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    revokeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The updated token. */
            200: {
                headers: {
                    /** @description Id of the request in the logs. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token has full access.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
}
