package io.github.simhashdoc.integrations;

import io.github.simhashdoc.Problem;
import io.github.simhashdoc.Scheme;
import io.github.simhashdoc.Simhash;
import io.github.simhashdoc.SimhashException;
import org.apache.nutch.crawl.Signature;
import org.apache.nutch.parse.Parse;
import org.apache.nutch.protocol.Content;

/** The SD256 fingerprint of the parsed text as the signature of a page in Nutch: 32 bytes. */
public final class FingerprintSignature extends Signature {
    /** Creates the signature, as Nutch does by the name of the class. */
    public FingerprintSignature() {}

    /**
     * Computes the signature.
     *
     * @param content the content, which is not used
     * @param parse the parsed page
     * @return the bytes of the fingerprint, or null, no signature, if the text contains no token
     */
    @Override
    public byte[] calculate(Content content, Parse parse) {
        if (parse.getText() == null) {
            return null;
        }
        try {
            return Simhash.fingerprint(parse.getText(), Scheme.SD256).toBytes();
        } catch (SimhashException error) {
            if (error.problem() == Problem.NO_TOKEN) {
                return null;
            }
            throw error;
        }
    }
}
